import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

/** With the prefix of a column that sorted rows carry, Postgres would cut both to the same name. */
const [longName, otherLongName] = ['b', 'c'].map((last) => 'a'.repeat(62) + last)

/** Nothing keeps a country from having several capitals, though the metadata says that it has one. */
const sql = `
  create table country (id int primary key, name text);
  create table capital (country_id int, name text, ${longName} text, ${otherLongName} text);
  create view people as select id as country_id, 10 - id as number from country where id <> 2;
  insert into country values (1, 'A'), (2, 'B'), (3, 'C'), (4, 'D');
  insert into capital values (1, 'Same', 'a', 'b'), (1, 'Same', 'a', 'b'), (3, 'Last', 'c', 'd');
`

const related = (name: string, table: string) => ({
  name,
  using: { manual_configuration: { remote_table: table, column_mapping: { id: 'country_id' } } },
})

const metadata = {
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: 'country',
          object_relationships: [related('capital', 'capital'), related('people', 'people')],
        },
        { table: 'capital' },
        { table: 'people' },
      ],
    },
  ],
}

let project: TestProject
let executor: GraphQLExecutor
beforeAll(async () => {
  project = await openProject(sql)
  executor = (await project.serve(metadata)).newExecutor()
})
afterAll(() => project.close())

async function ask(query: string): Promise<unknown> {
  const result = await executor.execute({ query }, createSession('admin', {}))
  if (result.kind !== 'data') throw new Error(JSON.stringify(result.errors))
  return JSON.parse(result.json)
}

test('a second related row, which the metadata rules out, repeats no sorted row', async () => {
  expect(
    await ask(
      '{ country(order_by: [{capital: {name: asc_nulls_first}}, {id: asc}]) { id capital { name } } }',
    ),
  ).toEqual({
    country: [
      { id: 2, capital: null },
      { id: 4, capital: null },
      { id: 3, capital: { name: 'Last' } },
      { id: 1, capital: { name: 'Same' } },
    ],
  })
})

test('a related row that the order reads is selected twice under other names, and where there is none it is null', async () => {
  expect(
    await ask(`{ country(order_by: {people: {number: asc}}, limit: 3, where: {id: {_gt: 1}}) {
      name people { number } same: people { __typename country_id }
    } }`),
  ).toEqual({
    country: [
      { name: 'D', people: { number: 6 }, same: { __typename: 'people', country_id: 4 } },
      { name: 'C', people: { number: 7 }, same: { __typename: 'people', country_id: 3 } },
      { name: 'B', people: null, same: null },
    ],
  })
})

test('the nodes of an aggregate have the related rows of their order', async () => {
  expect(
    await ask(`{ country_aggregate(order_by: {people: {number: desc_nulls_last}}, offset: 2) {
      aggregate { count } nodes { id people { number } }
    } }`),
  ).toEqual({
    country_aggregate: {
      aggregate: { count: 2 },
      nodes: [
        { id: 4, people: { number: 6 } },
        { id: 2, people: null },
      ],
    },
  })
})

test('a related row is selected by columns whose names differ at their end only', async () => {
  expect(
    await ask(`{ country(order_by: {capital: {${longName}: desc_nulls_last}}, limit: 2) {
      capital { first: ${longName} second: ${otherLongName} }
    } }`),
  ).toEqual({
    country: [{ capital: { first: 'c', second: 'd' } }, { capital: { first: 'a', second: 'b' } }],
  })
})
