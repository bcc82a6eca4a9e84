import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPostgis } from '../execute/testing/postgis-server.ts'
import { type DeliveryWorld, openDeliveryWorld } from './testing/delivery-world.ts'

const postgis = await findPostgis()
const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4326' } }
const point = (...coordinates: readonly number[]) => ({ type: 'Point', coordinates, crs })

describe.skipIf(!postgis.found)(`with PostGIS${postgis.found ? '' : ` (skipped: ${postgis.reason})`}`, () => {
  let world: DeliveryWorld

  beforeAll(async () => {
    if (!postgis.found) return
    world = await openDeliveryWorld(postgis.url)
    await world.pool.query(`
      create extension postgis;
      create table stop (id int primary key, name text, shape geometry(Point, 4326), around geography)`)
    await world.start()
    await world.command('pg_track_table', { table: 'stop' })
    await world.command('pg_create_event_trigger', {
      name: 'stop_changed',
      table: 'stop',
      webhook: '{{HOOKS}}/stop',
      insert: { columns: '*' },
      update: { columns: ['shape'] },
    })
  })
  afterAll(() => world.close())

  test('events carry GeoJSON, and an update to the same place causes none', async () => {
    const write = (sql: string) => world.pool.query(sql)
    await write(
      `insert into stop values (1, 'Station', 'SRID=4326;POINT(1 2.123456789012345)', 'POINT(3 4)')`,
    )
    await write(`update stop set shape = 'SRID=4326;POINT(1 2.123456789012345)', name = 'Central station'`)
    await write(`update stop set shape = 'SRID=4326;POINT(5 6)'`)
    const calls = await world.receiver.received(2)
    expect(calls.map(({ body }) => body)).toMatchObject([
      { event: { data: { old: null, new: { shape: point(1, 2.123456789012345), around: point(3, 4) } } } },
      { event: { data: { old: { shape: point(1, 2.123456789012345) }, new: { shape: point(5, 6) } } } },
    ])
    const { rows } = await world.pool.query('select count(*)::int as events from hdb_catalog.event_log')
    expect(rows).toEqual([{ events: 2 }])
  })
})
