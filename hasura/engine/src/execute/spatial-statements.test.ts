import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseOperation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { buildRoleSchema } from '../schema/role-schema.ts'
import { buildSourceModel } from '../schema/build-source-model.ts'
import { compileOperation } from './compile-operation.ts'
import { compileSubscription } from './compile-subscription.ts'
import { statementsOf } from './compile.ts'
import { type ServedMetadata, type TestProject, openProject } from './testing/open-project.ts'

/** Types with the names of PostGIS's, so that their statements can be tested without PostGIS. */
const sql = `
  create schema gis;
  create type gis.geometry;
  create function gis.geometry_in(cstring) returns gis.geometry language internal immutable strict as 'textin';
  create function gis.geometry_out(gis.geometry) returns cstring language internal immutable strict as 'textout';
  create type gis.geometry (input = gis.geometry_in, output = gis.geometry_out, like = text);
  create type gis.geography;
  create function gis.geography_in(cstring) returns gis.geography language internal immutable strict as 'textin';
  create function gis.geography_out(gis.geography) returns cstring language internal immutable strict as 'textout';
  create type gis.geography (input = gis.geography_in, output = gis.geography_out, like = text);
  create table place (id int primary key, shape gis.geometry, around gis.geography, shapes gis.geometry[]);
  create table note (id int primary key, place_id int references place);
`

let project: TestProject
let served: ServedMetadata

beforeAll(async () => {
  project = await openProject(sql)
  const notes = {
    name: 'notes',
    using: { foreign_key_constraint_on: { table: 'note', column: 'place_id' } },
  }
  served = await project.serve({
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [{ table: 'place', array_relationships: [notes] }, { table: 'note' }],
      },
    ],
  })
})
afterAll(() => project.close())

function roleSchema() {
  const { metadata, catalog } = served.snapshot
  return buildRoleSchema(metadata, buildSourceModel(metadata, catalog), {
    api: 'graphql',
    role: 'admin',
    backendOnly: false,
    inferFunctionPermissions: true,
  })
}

const compiled = (query: string, variables: Readonly<Record<string, JsonValue>> = {}): readonly string[] =>
  compileOperation(parseOperation(query, undefined), variables, roleSchema(), false)
    .groups.flatMap((group) => (group.kind === 'database' ? group.fields : []))
    .flatMap((field) => (field.kind === 'database' ? statementsOf(field.field) : []))
    .map(({ text }) => text)

const point = { type: 'Point', coordinates: [1, 2] }

test('a value is shown and read by the functions of the schema that its type is in', () => {
  expect(
    compiled('query ($p: geometry!) { place(where: {shape: {_st_contains: $p}}) { shape shapes } }', {
      p: point,
    }),
  ).toMatchInlineSnapshot(`
    [
      "SELECT coalesce(json_agg((SELECT "row:json" FROM (SELECT ("gis"."st_asgeojson"("t0"."shape", 15, 4))::"json" AS "shape", "t0"."shapes" AS "shapes") AS "row:json")), '[]') AS "root" FROM "public"."place" AS "t0" WHERE "gis"."st_contains"("t0"."shape", ("gis"."st_geomfromgeojson"(($1)::"text"))::"gis"."geometry")",
    ]
  `)
})

test('a distance is a real, casts are of columns, and operators are qualified with the schema of their types', () => {
  expect(
    compiled(
      `query ($p: geography!) { place(where: {
        shape: {_eq: {type: "Point", coordinates: [1, 2]}, _cast: {geography: {_st_d_within: {distance: 3, from: $p}}}},
        around: {_nin: [$p]}
      }) { id } }`,
      { p: point },
    ),
  ).toMatchInlineSnapshot(`
    [
      "SELECT coalesce(json_agg((SELECT "row:json" FROM (SELECT "t0"."id" AS "id") AS "row:json")), '[]') AS "root" FROM "public"."place" AS "t0" WHERE ((("t0"."shape" OPERATOR("gis".=) ("gis"."st_geomfromgeojson"(($1)::"text"))::"gis"."geometry") AND "gis"."st_dwithin"(("t0"."shape")::"gis"."geography", ("gis"."st_geomfromgeojson"(($2)::"text"))::"gis"."geography", ($3)::"float4", ('true')::"bool")) AND (NOT ("t0"."around" OPERATOR("gis".=) ANY (ARRAY[("gis"."st_geomfromgeojson"(($2)::"text"))::"gis"."geography"]::"gis"."_geography"))))",
    ]
  `)
})

test('a list of geometries is built from its items', () => {
  const query = 'mutation ($l: [geometry!]) { update_place(where: {}, _set: {shapes: $l}) { affected_rows } }'
  expect(compiled(query, { l: [point, point] })).toMatchInlineSnapshot(`
    [
      "WITH "written" AS (UPDATE "public"."place" AS "t0" SET "shapes" = ARRAY[("gis"."st_geomfromgeojson"(($1)::"text"))::"gis"."geometry", ("gis"."st_geomfromgeojson"(($2)::"text"))::"gis"."geometry"]::"gis"."_geometry" WHERE TRUE RETURNING "t0"."id" AS "id", "t0"."shape" AS "shape", "t0"."around" AS "around", "t0"."shapes" AS "shapes") SELECT row_to_json((SELECT "row:json" FROM (SELECT (SELECT count(*) FROM "written" AS "t1") AS "affected_rows") AS "row:json")) AS "root"",
    ]
  `)
})

test('a row that others are nested in is returned with its geometries as texts', () => {
  const [parent] = compiled('mutation { insert_place_one(object: {id: 1, notes: {data: [{id: 1}]}}) { id } }')
  expect(parent).toMatchInlineSnapshot(
    `"INSERT INTO "public"."place" AS "t0" ("id") VALUES (($1)::"int4") RETURNING "t0"."id" AS "id", "t0"."shape" AS "shape", "t0"."around" AS "around", "t0"."shapes" AS "shapes", row_to_json((SELECT "row:json" FROM (SELECT "t0"."id" AS "id", ("t0"."shape")::"text" AS "shape", ("t0"."around")::"text" AS "around", ("t0"."shapes")::"text" AS "shapes") AS "row:json"))"`,
  )
})

test('a subscription has the value as a text in its batch', () => {
  const query = 'subscription ($p: geometry!) { place(where: {shape: {_st_within: $p}}) { id } }'
  const { statement } = compileSubscription(
    parseOperation(query, undefined),
    { p: point },
    roleSchema(),
    false,
  )
  expect(statement.text).toMatchInlineSnapshot(
    `"SELECT "batch"."member", "answer".* FROM unnest(($1)::"_int4", ($2)::"_text") AS "batch"("member", "v1") LEFT JOIN LATERAL (SELECT row_to_json((SELECT "row:json" FROM (SELECT (SELECT coalesce(json_agg((SELECT "row:json" FROM (SELECT "t0"."id" AS "id") AS "row:json")), '[]') AS "root" FROM "public"."place" AS "t0" WHERE "gis"."st_within"("t0"."shape", ("gis"."st_geomfromgeojson"(("batch"."v1")::"text"))::"gis"."geometry")) AS "place") AS "row:json")) AS "root") AS "answer" ON TRUE"`,
  )
  expect(statement.parameters).toEqual([
    { kind: 'variable', path: ['p'], encoding: { scalar: 'column-geojson', list: false } },
  ])
})
