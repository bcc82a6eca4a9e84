import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RowCommandKind } from '../rows/row-command.ts'
import { refusalOf, runRowCommand } from '../rows/testing/run-row-command.ts'
import { createSession } from '../session/types.ts'
import { admin, dataOf } from './testing/bookshop.ts'
import type { ServedMetadata, TestProject } from './testing/open-project.ts'
import { findPostgis } from './testing/postgis-server.ts'
import { openSpatialProject } from './testing/spatial-project.ts'

const postgis = await findPostgis()

const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4326' } }
const point = (...coordinates: readonly number[]) => ({ type: 'Point', coordinates, crs })
const square = {
  type: 'Polygon',
  crs,
  coordinates: [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ],
  ],
}

/** A geometry without a reference system. */
const plain = (...coordinates: readonly number[]) => ({ type: 'Point', coordinates })
const exact = {
  ...plain(1.123456789012345, 2.987654321098765),
  crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::0' } },
}
const exactly = plain(...exact.coordinates)

const inSquare = { shape: { $st_within: square } }
const permitted = (role: string, filter: object, more: object = {}) => ({
  role,
  permission: { columns: ['id', 'name', 'shape'], filter, ...more },
})

const metadata = {
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: 'place',
          object_relationships: [{ name: 'town', using: { foreign_key_constraint_on: 'town_id' } }],
          computed_fields: [
            { name: 'distance', definition: { function: 'place_distance' } },
            { name: 'centre', definition: { function: 'place_centre' } },
          ],
          select_permissions: [
            permitted('visitor', inSquare),
            permitted('walker', {
              shape: { _st_d_within: { distance: 'X-Hasura-Reach', from: 'X-Hasura-Here' } },
            }),
            permitted('flyer', {
              around: { _st_d_within: { distance: 100_000, from: point(0, 0) } },
              shape: { _cast: { geography: { _st_intersects: 'X-Hasura-Here' } } },
            }),
          ],
          insert_permissions: [
            {
              role: 'visitor',
              permission: {
                columns: ['name', 'shape'],
                check: inSquare,
                set: { spot: point(3, 3), around: 'X-Hasura-Here' },
              },
            },
          ],
        },
        {
          table: 'town',
          array_relationships: [
            { name: 'places', using: { foreign_key_constraint_on: { table: 'place', column: 'town_id' } } },
          ],
        },
      ],
      functions: [{ function: 'places_near' }],
    },
  ],
}

describe.skipIf(!postgis.found)(`with PostGIS${postgis.found ? '' : ` (skipped: ${postgis.reason})`}`, () => {
  let project: TestProject
  let served: ServedMetadata
  let executor: ReturnType<ServedMetadata['newExecutor']>

  beforeAll(async () => {
    if (!postgis.found) return
    project = await openSpatialProject(postgis.url)
    served = await project.serve(metadata)
    executor = served.newExecutor()
  })
  afterAll(() => project.close())

  const execute = (query: string, variables: object = {}, session = admin) =>
    executor.execute({ query, variables: variables as Record<string, unknown> }, session)
  const run = async (query: string, variables: object = {}, session = admin): Promise<unknown> =>
    dataOf(await execute(query, variables, session))
  const errorsOf = async (query: string, variables: object = {}): Promise<unknown> => {
    const result = await execute(query, variables)
    return result.kind === 'errors'
      ? result.errors.map(({ message, extensions: { code, path } }) => ({ message, code, path }))
      : result.json
  }
  const namesWhere = async (where: object, session = admin): Promise<readonly string[]> => {
    const query = 'query ($where: place_bool_exp!) { place(where: $where, order_by: {id: asc}) { name } }'
    const { place } = (await run(query, { where }, session)) as { place: readonly { name: string }[] }
    return place.map(({ name }) => name)
  }

  describe('values', () => {
    test('geometries, geographies and domains of them are GeoJSON with their reference system, rasters hexadecimal', async () => {
      const query =
        '{ place(where: {name: {_in: ["square", "nowhere"]}}, order_by: {id: asc}) { shape around spot tile height } }'
      const stringified = served.newExecutor({ stringifyNumericTypes: true })
      expect(dataOf(await stringified.execute({ query }, admin))).toEqual({
        place: [
          {
            shape: square,
            around: square,
            spot: point(0.5, 0.5),
            tile: expect.stringMatching(/^0100[0-9A-F]+$/) as string,
            height: '1.5',
          },
          { shape: null, around: null, spot: null, tile: null, height: null },
        ],
      })
    })

    test('a function takes and returns geometries, and so does a computed field', async () => {
      expect(
        await run(
          `query ($origin: geometry!, $here: geography!) {
            place(where: {centre: {_st_equals: $origin}}, order_by: {id: asc}) { name centre distance(args: {origin: $origin, factor: 2}) }
            places_near(args: {origin: $here, within: 10}) { name }
          }`,
          { origin: point(0.5, 0.5), here: point(10, 10) },
        ),
      ).toEqual({
        place: ['square', 'inside', 'line'].map((name) => ({ name, centre: point(0.5, 0.5), distance: 0 })),
        places_near: [{ name: 'far' }],
      })
    })

    test('spatial columns can be sorted, distinct and counted', async () => {
      expect(
        await run(`{
          place(distinct_on: spot, order_by: [{spot: asc_nulls_last}, {id: desc}]) { name spot }
          place_aggregate { aggregate { count(columns: spot, distinct: true) } nodes { shape } }
        }`),
      ).toMatchObject({
        place: [{ name: 'line', spot: point(0.5, 0.5) }, { name: 'nowhere' }],
        place_aggregate: { aggregate: { count: 1 } },
      })
    })
  })

  describe('input', () => {
    const insert = `mutation ($name: String!, $shape: geometry) {
      insert_place_one(object: {name: $name, shape: $shape}) { shape }
    }`

    test('is GeoJSON of any kind, and is read back unchanged', async () => {
      const ring = square.coordinates[0] ?? []
      const shapes = [
        point(1.234567890123456, 2),
        { ...point(1, 2, 3), crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } } },
        {
          type: 'MultiPoint',
          coordinates: [
            [1, 2],
            [3, 4],
          ],
          crs,
        },
        {
          type: 'MultiLineString',
          coordinates: [
            ring,
            [
              [5, 5],
              [6, 6],
            ],
          ],
          crs,
        },
        { type: 'MultiPolygon', coordinates: [[ring]], crs },
        {
          type: 'GeometryCollection',
          geometries: [
            { type: 'Point', coordinates: [1, 2] },
            {
              type: 'LineString',
              coordinates: [
                [1, 2],
                [3, 4],
              ],
            },
          ],
          crs,
        },
      ]
      for (const [index, shape] of shapes.entries())
        expect(await run(insert, { name: `shape ${index}`, shape })).toEqual({ insert_place_one: { shape } })
      await project.pool.query(`delete from place where name like 'shape %'`)
    })

    test('may have variables inside of it, which take each request’s values', async () => {
      const query = `query ($x: Float!, $y: Float = 0.5) {
        place(where: {shape: {_st_equals: {type: "Point", coordinates: [$x, $y]}}}) { name }
      }`
      expect(await run(query, { x: 0.5 })).toEqual({ place: [{ name: 'inside' }] })
      expect(await run(query, { x: 1 })).toEqual({ place: [{ name: 'edge' }] })
      expect(await run(query, { x: 10, y: 10 })).toEqual({ place: [{ name: 'far' }] })
    })

    test.each<[string, unknown]>([
      ['parsing Geometry failed, expected Object, but encountered Number', 7],
      ['key "type" not found', { coordinates: [1, 2] }],
      ['key "coordinates" not found', { type: 'Point' }],
      ['unexpected geometry type: Random', { type: 'Random', coordinates: [1, 2] }],
      ['A Position needs at least 2 elements', { type: 'Point', coordinates: [1] }],
      ['A LineString needs at least 2 Positions', { type: 'LineString', coordinates: [[1, 2]] }],
      [
        'A LinearRing needs at least 4 Positions',
        {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [0, 0],
            ],
          ],
        },
      ],
      [
        'the first and last locations have to be equal for a LinearRing',
        {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [2, 2],
            ],
          ],
        },
      ],
    ])('is refused at its path: %s', async (message, shape) => {
      // Once with a new plan, and once with a cached one.
      const refused = [
        { message, code: 'parse-failed', path: '$.selectionSet.insert_place_one.args.object.shape' },
      ]
      expect(await errorsOf(insert, { name: 'bad', shape })).toEqual(refused)
      await run(insert, { name: 'good', shape: point(1, 1) })
      expect(await errorsOf(insert, { name: 'bad', shape })).toEqual(refused)
      await project.pool.query(`delete from place where name = 'good'`)
    })

    test('is taken by updates and upserts, null included', async () => {
      await project.pool.query(`insert into place (name) values ('moving')`)
      expect(
        await run(
          `mutation ($to: geometry!, $around: geography!) {
            update_place(where: {name: {_eq: "moving"}}, _set: {shape: $to, around: $around, town_id: 1}) {
              returning { shape around town { centre } }
            }
            insert_place_one(
              object: {name: "moving", shape: null, spot: $to}
              on_conflict: {constraint: place_name_key, update_columns: [shape, spot], where: {shape: {_st_equals: $to}}}
            ) { shape spot around }
          }`,
          { to: exact, around: point(8, 8) },
        ),
      ).toEqual({
        update_place: { returning: [{ shape: exactly, around: point(8, 8), town: { centre: point(0, 0) } }] },
        insert_place_one: { shape: null, spot: exactly, around: point(8, 8) },
      })
      await project.pool.query(`delete from place where name = 'moving'`)
    })

    test('of a nested insert is read back as it was written', async () => {
      expect(
        await run(
          `mutation ($at: geometry!, $pins: [geometry!]) {
            insert_town_one(object: {
              name: "New", origin: $at, pins: $pins
              places: {data: [{name: "nested", shape: $at, around: {type: "Point", coordinates: [1, 2]}}]}
            }) { origin places { shape around } }
          }`,
          { at: exact, pins: [exact, exact] },
        ),
      ).toEqual({ insert_town_one: { origin: exactly, places: [{ shape: exactly, around: point(1, 2) }] } })
      const { rows } = await project.pool.query(`select gis.st_x(pins[2]) x from town where name = 'New'`)
      expect(rows).toEqual([{ x: exact.coordinates[0] }])
      await project.pool.query(`delete from place where name = 'nested'; delete from town where name = 'New'`)
    })
  })

  describe('filters', () => {
    test.each<[string, object, readonly string[]]>([
      ['_st_contains', { _st_contains: point(0.5, 0.5) }, ['square', 'inside', 'line']],
      ['_st_crosses', { _st_crosses: square }, ['line']],
      ['_st_equals', { _st_equals: point(1, 0.5) }, ['edge']],
      ['_st_intersects', { _st_intersects: square }, ['square', 'inside', 'edge', 'line']],
      ['_st_3d_intersects', { _st_3d_intersects: point(10, 10) }, ['far']],
      [
        '_st_overlaps',
        {
          _st_overlaps: {
            type: 'LineString',
            coordinates: [
              [0, 0.5],
              [3, 0.5],
            ],
            crs,
          },
        },
        ['line'],
      ],
      ['_st_touches', { _st_touches: square }, ['edge']],
      ['_st_within', { _st_within: square }, ['square', 'inside']],
      ['_st_d_within', { _st_d_within: { distance: 9, from: point(10, 1) } }, ['square', 'far', 'line']],
      ['_st_3d_d_within', { _st_3d_d_within: { distance: 5, from: point(10, 10, 4) } }, ['far']],
    ])('%s of a geometry', async (_, operator, expected) => {
      expect(await namesWhere({ shape: operator })).toEqual(expected)
    })

    test('a geography is within metres of another, on a spheroid or a sphere, and can be cast to a geometry and back', async () => {
      const near = (more: object) =>
        namesWhere({ around: { _st_d_within: { distance: 50, from: point(10, 10), ...more } } })
      expect(await near({})).toEqual(['far'])
      expect(await near({ use_spheroid: false })).toEqual(['far'])
      expect(await near({ use_spheroid: null })).toEqual([])
      expect(await namesWhere({ around: { _st_intersects: point(10, 10) } })).toEqual(['far'])
      expect(await namesWhere({ around: { _cast: { geometry: { _st_within: square } } } })).toEqual([
        'square',
        'inside',
      ])
      expect(
        await namesWhere({
          shape: { _cast: { geography: { _st_d_within: { distance: 50, from: point(10, 10) } } } },
        }),
      ).toEqual(['far'])
    })

    test('a raster intersects another, or a geometry by band', async () => {
      const { rows } = await project.pool.query<{ tile: string }>(
        'select tile::text from place where tile is not null',
      )
      const geommin = point(0.5, 0.5)
      expect(await namesWhere({ tile: { _st_intersects_rast: rows[0]?.tile } })).toEqual(['square'])
      expect(await namesWhere({ tile: { _st_intersects_nband_geom: { nband: 1, geommin } } })).toEqual([
        'square',
      ])
      expect(await namesWhere({ tile: { _st_intersects_geom_nband: { geommin } } })).toEqual(['square'])
      expect(
        await namesWhere({ tile: { _st_intersects_geom_nband: { geommin: point(9, 9), nband: 1 } } }),
      ).toEqual([])
      expect(await errorsOf('{ place(where: {tile: {_st_intersects_rast: "xyz"}}) { id } }')).toEqual([
        {
          message: 'invalid hexadecimal representation of raster well known binary format',
          code: 'parse-failed',
          path: '$.selectionSet.place.args.where.tile._st_intersects_rast',
        },
      ])
    })

    test('a missing argument of a spatial operator is reported at its path', async () => {
      const query = 'query ($by: st_d_within_input) { place(where: {shape: {_st_d_within: $by}}) { id } }'
      const path = '$.selectionSet.place.args.where.shape._st_d_within'
      expect(await errorsOf(query, { by: { distance: 1 } })).toEqual([
        { message: 'missing required field "from"', code: 'validation-failed', path },
      ])
      expect(await errorsOf('{ place(where: {around: {_st_touches: {}}}) { id } }')).toEqual([
        {
          message: `field "_st_touches" not found in type: 'geography_comparison_exp'`,
          code: 'validation-failed',
          path: '$.selectionSet.place.args.where.around._st_touches',
        },
      ])
    })

    test('equality and lists work although PostGIS has no <>, and a list may have any length', async () => {
      const query = `query ($some: [geometry!]) {
        in: place(where: {shape: {_in: $some}}, order_by: {id: asc}) { name }
        nin: place(where: {shape: {_nin: $some}}, order_by: {id: asc}) { name }
        neq: place(where: {around: {_neq: {type: "Point", coordinates: [10, 10]}}}, order_by: {id: asc}) { name }
      }`
      const names = async (some: readonly object[]) => {
        const data = (await run(query, { some })) as Record<string, readonly { name: string }[]>
        return Object.values(data).map((rows) => rows.map(({ name }) => name).join())
      }
      const notFar = 'square,inside,edge,line'
      expect(await names([point(1, 0.5)])).toEqual(['edge', 'square,inside,far,line', notFar])
      expect(await names([point(1, 0.5), point(10, 10)])).toEqual(['edge,far', 'square,inside,line', notFar])
      expect(await names([])).toEqual(['', 'square,inside,edge,far,line,nowhere', notFar])
    })
  })

  describe('permissions', () => {
    const hiker = (reach: string) =>
      createSession('walker', { 'X-Hasura-Reach': reach, 'X-Hasura-Here': JSON.stringify(point(11, 10)) })

    test('filter by spatial operators, with values of the session', async () => {
      expect(await namesWhere({}, createSession('visitor', {}))).toEqual(['square', 'inside'])
      expect(await namesWhere({}, hiker('1'))).toEqual(['far'])
      expect(await namesWhere({}, hiker('0.5'))).toEqual([])
      const flyer = createSession('flyer', { 'X-Hasura-Here': JSON.stringify(point(0.5, 0.5)) })
      // On a spheroid, the straight line from (-1, 0.5) to (2, 0.5) takes another course.
      expect(await namesWhere({}, flyer)).toEqual(['square', 'inside'])
    })

    test('check written values, and preset geometries from metadata and from the session', async () => {
      const insert = `mutation ($shape: geometry!) { insert_place(objects: {name: "mine", shape: $shape}) { affected_rows } }`
      const visitor = createSession('visitor', { 'X-Hasura-Here': JSON.stringify(point(4, 4)) })
      expect(await execute(insert, { shape: point(9, 9) }, visitor)).toMatchObject({
        errors: [{ extensions: { code: 'permission-error' } }],
      })
      expect(await run(insert, { shape: point(0.2, 0.2) }, visitor)).toEqual({
        insert_place: { affected_rows: 1 },
      })
      expect(await run('{ place(where: {name: {_eq: "mine"}}) { spot around } }')).toEqual({
        place: [{ spot: point(3, 3), around: point(4, 4) }],
      })
      await project.pool.query(`delete from place where name = 'mine'`)
    })

    test.each<[string, object]>([
      [
        'A Position needs at least 2 elements',
        { filter: { shape: { _st_equals: { type: 'Point', coordinates: [1] } } } },
      ],
      ['key "from" not found', { filter: { shape: { _st_d_within: { distance: 1 } } } }],
      ['Unknown operator: _st_touches', { filter: { around: { _st_touches: {} } } }],
      ['unexpected geometry type: Circle', { check: {}, set: { spot: { type: 'Circle' } } }],
    ])('that are impossible are inconsistent: %s', async (reason, permission) => {
      const kind = 'check' in permission ? 'insert_permissions' : 'select_permissions'
      const tables = [
        { table: 'place', [kind]: [{ role: 'odd', permission: { columns: ['id'], ...permission } }] },
      ]
      await expect(
        project.serve({ sources: [{ name: 'default', kind: 'postgres', tables }] }),
      ).rejects.toThrow(JSON.stringify(reason).slice(1, -1))
    })
  })

  test('under graphql-default the operators are in camel case, and their arguments keep their names', async () => {
    const named = await project.serve({
      sources: [{ ...metadata.sources[0], customization: { naming_convention: 'graphql-default' } }],
    })
    const query = `query ($from: geography!) {
      place(where: {shape: {_st3dDWithin: {distance: 5, from: {type: "Point", coordinates: [10, 10, 4]}}},
                    around: {_stDWithin: {distance: 5, from: $from, use_spheroid: false}}}) { name }
      __type(name: "GeometryCastExp") { inputFields { name type { name } } }
    }`
    expect(
      dataOf(await named.newExecutor().execute({ query, variables: { from: point(10, 10) } }, admin)),
    ).toEqual({
      place: [{ name: 'far' }],
      __type: { inputFields: [{ name: 'geography', type: { name: 'GeographyComparisonExp' } }] },
    })
  })

  test('the JSON commands take and show GeoJSON, and report values that are none', async () => {
    const [shape, around] = [point(7, 8), point(9, 10)]
    const command = (kind: RowCommandKind, args: object) =>
      runRowCommand({ pool: project.pool, snapshot: served.snapshot }, kind, { table: 'place', ...args })
    const select = (where: object) => command('select', { columns: ['name'], where })
    expect(
      await command('insert', { objects: [{ name: 'row', shape, around }], returning: ['shape', 'around'] }),
    ).toEqual({ affected_rows: 1, returning: [{ shape, around }] })
    expect(await select({ shape: { $st_d_within: { distance: 1, from: shape } } })).toEqual([{ name: 'row' }])
    expect(await select({ around: { $in: [shape, around] } })).toEqual([{ name: 'row' }])
    expect(await refusalOf(select({ shape: { $st_within: { type: 'Point' } } }))).toEqual({
      code: 'parse-failed',
      error: 'key "coordinates" not found',
      path: "$.where.shape['$st_within']",
    })
    await project.pool.query(`delete from place where name = 'row'`)
  })

  test('Relay continues after a row in an order by geometry', async () => {
    const query = `query ($after: String, $from: geometry!) {
      place_connection(first: 2, after: $after, order_by: {shape: asc}, where: {shape: {_st_d_within: {distance: 3, from: $from}}}) {
        pageInfo { endCursor hasNextPage } edges { node { name } }
      }
    }`
    const names: string[] = []
    let after: string | undefined
    do {
      const request = { query, variables: { after, from: point(0, 0) }, api: 'relay' as const }
      const { place_connection: page } = dataOf(await executor.execute(request, admin)) as {
        place_connection: {
          pageInfo: { endCursor: string; hasNextPage: boolean }
          edges: readonly { node: { name: string } }[]
        }
      }
      names.push(...page.edges.map(({ node }) => node.name))
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined
    } while (after !== undefined && names.length < 10)
    expect(names.toSorted()).toEqual(['edge', 'inside', 'line', 'square'])
  })
})
