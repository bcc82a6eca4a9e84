import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../plan/input-value.ts'
import { geojsonText } from './geojson.ts'

function read(value: JsonValue): unknown {
  const result = geojsonText(value)
  return result.ok ? JSON.parse(result.text) : result.reason
}

describe('accepted GeoJSON', () => {
  test('keeps the type, three numbers of each position and the reference system', () => {
    const crs = { type: 'name', properties: { name: 'EPSG:4326' } }
    expect(
      read({ type: 'Point', coordinates: [1, 2, 3, 4], crs: { ...crs, more: 1 }, bbox: [0, 0, 9, 9], id: 7 }),
    ).toEqual({ type: 'Point', coordinates: [1, 2, 3], crs })
    const link = { type: 'link', properties: { href: 'http://example.com', type: 'proj4' } }
    expect(read({ type: 'Point', coordinates: [1, 2], crs: link })).toMatchObject({ crs: link })
    expect(read({ type: 'Point', coordinates: [1, 2], crs: null })).toEqual({
      type: 'Point',
      coordinates: [1, 2],
    })
  })

  test('keeps a collection’s members, with their reference systems', () => {
    const crs = { type: 'name', properties: { name: 'EPSG:3857' } }
    const inner = {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
      crs,
    }
    expect(read({ type: 'GeometryCollection', geometries: [inner], crs })).toEqual({
      type: 'GeometryCollection',
      geometries: [inner],
    })
  })

  test('keeps empty shapes', () => {
    expect(read({ type: 'MultiPolygon', coordinates: [] })).toEqual({ type: 'MultiPolygon', coordinates: [] })
  })
})

describe('refused GeoJSON', () => {
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ]
  test.each<[JsonValue, string]>([
    [null, 'parsing Geometry failed, expected Object, but encountered Null'],
    [[1, 2], 'parsing Geometry failed, expected Object, but encountered Array'],
    [true, 'parsing Geometry failed, expected Object, but encountered Boolean'],
    [{ type: 7 }, 'expected String, but encountered Number'],
    [{ type: 'constructor', coordinates: [] }, 'unexpected geometry type: constructor'],
    [{ type: 'Point', coordinates: {} }, 'parsing Position failed, expected Array, but encountered Object'],
    [{ type: 'Point', coordinates: ['1', 2] }, 'parsing Double failed, unexpected String'],
    [{ type: 'MultiPoint', coordinates: 'x' }, 'parsing [] failed, expected Array, but encountered String'],
    [{ type: 'MultiPoint', coordinates: [[1]] }, 'A Position needs at least 2 elements'],
    [{ type: 'MultiLineString', coordinates: [[[1, 2]]] }, 'A LineString needs at least 2 Positions'],
    [{ type: 'Polygon', coordinates: [ring, ring.slice(1)] }, 'A LinearRing needs at least 4 Positions'],
    [
      { type: 'MultiPolygon', coordinates: [[[...ring.slice(0, 3), [0, 0, 0]]]] },
      'the first and last locations have to be equal for a LinearRing',
    ],
    [{ type: 'GeometryCollection', geometries: [{ type: 'Point' }] }, 'key "coordinates" not found'],
    [{ type: 'GeometryCollection' }, 'key "geometries" not found'],
    [
      { type: 'Point', coordinates: [1, 2], crs: { type: 'name', properties: {} } },
      'parsing Hasura.SQL.GeoJSON.CRSNameProps(CRSNameProps) failed, key "name" not found',
    ],
    [
      { type: 'Point', coordinates: [1, 2], crs: { type: 'other', properties: {} } },
      'parsing Hasura.SQL.GeoJSON.CRS failed, expected tag field "type" to be one of ["name","link"], but found tag "other"',
    ],
  ])('%j: %s', (value, reason) => {
    expect(read(value)).toBe(reason)
  })

  test('collections nested deeper than PostGIS reads them', () => {
    let value: JsonValue = { type: 'Point', coordinates: [1, 2] }
    for (let depth = 0; depth < 10_000; depth++) value = { type: 'GeometryCollection', geometries: [value] }
    expect(read(value)).toBe('geometry collections are nested more than 200 deep')
  })
})
