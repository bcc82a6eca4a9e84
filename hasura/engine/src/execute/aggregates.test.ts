import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(`
    create type mood as enum ('sad', 'happy');
    create domain percent as int check (value between 0 and 100);
    create table color (value text primary key, comment text);
    insert into color values ('red', null);
    create table line (id int primary key, name text);
    create table dot (
      id int primary key, line_id int references line, x float8, y float8, seen bool, color text references color,
      code uuid, tags text[], mood mood, waited interval
    );
    create function dot_sum(p dot) returns float8 language sql stable as 'select p.x + p.y';
    create function dot_label(p dot, prefix text) returns text language sql stable as 'select prefix || p.id';
    create function dots_of(ids int[], above percent default 0) returns setof dot language sql stable
      as 'select * from dot where id = any (ids) and x >= above';
    insert into line values (1, 'rising'), (2, 'falling');
    insert into dot (id, line_id, x, y, seen, tags, mood) values
      (1, 1, 0, 0, true, '{a}', 'sad'), (2, 1, 1, 2, true, '{b}', 'happy'), (3, 1, 2, 4, true, null, null),
      (4, 2, 0, 5, false, null, null), (5, 2, 1, 4, true, null, null), (6, 2, 2, 3, null, null, null);
  `)
  const computed = (name: string) => ({ name, definition: { function: `dot_${name}` } })
  const { newExecutor } = await project.serve({
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          { table: 'color', is_enum: true },
          {
            table: 'line',
            array_relationships: [
              { name: 'dots', using: { foreign_key_constraint_on: { table: 'dot', column: 'line_id' } } },
            ],
          },
          { table: 'dot', computed_fields: [computed('sum'), computed('label')] },
        ],
        functions: [{ function: 'dots_of' }],
      },
    ],
  })
  executor = newExecutor()
})
afterAll(() => project.close())

async function ask(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const result = await executor.execute({ query, variables }, createSession('admin', {}))
  if (result.kind === 'data') return JSON.parse(result.json) as unknown
  const [error] = result.errors
  return { message: error?.message, ...error?.extensions }
}

test('computed fields are aggregated as columns are, with their arguments, over the selected rows', async () => {
  const query = `{
    dot_aggregate(order_by: {id: asc}, limit: 3) {
      aggregate { sum { sum x } avg { sum } max { sum label(args: {prefix: "p"}) } min { label(args: {prefix: "q"}) } }
    }
  }`
  expect(await ask(query)).toEqual({
    dot_aggregate: {
      aggregate: {
        sum: { sum: 9, x: 3 },
        avg: { sum: 3 },
        max: { sum: 6, label: 'p3' },
        min: { label: 'q1' },
      },
    },
  })
})

test('min and max are offered for the types that Hasura orders', async () => {
  const query = `{ __type(name: "dot_max_fields") { fields { name } } }`
  const names = ['code', 'id', 'label', 'line_id', 'mood', 'sum', 'tags', 'x', 'y']
  expect(await ask(query)).toEqual({ __type: { fields: names.map((name) => ({ name })) } })
  expect(await ask('{ dot_aggregate { aggregate { max { mood tags } } } }')).toEqual({
    dot_aggregate: { aggregate: { max: { mood: 'happy', tags: ['b'] } } },
  })
})

describe('lines by an aggregate of their dots', () => {
  test.each([
    ['count: {predicate: {_eq: 2}, filter: {seen: {_eq: true}}}', []],
    ['count: {arguments: [seen], predicate: {_eq: 2}}', ['falling']],
    ['count: {arguments: [seen, mood], distinct: true, predicate: {_eq: 3}}', ['falling', 'rising']],
    ['avg: {arguments: y, predicate: {_eq: 4}}', ['falling']],
    ['sum: {arguments: y, predicate: {_lt: 10}}', ['rising']],
    ['max: {arguments: y, predicate: {_gte: 5}, filter: {id: {_gt: 4}}}', []],
    ['min: {arguments: x, predicate: {_eq: "0"}}', ['falling', 'rising']],
    ['stddev_samp: {arguments: x, predicate: {_eq: 1}}', ['falling', 'rising']],
    ['var_samp: {arguments: y, predicate: {_eq: 4}}', ['rising']],
    ['bool_and: {arguments: seen, predicate: {_eq: true}}', ['rising']],
    ['bool_or: {arguments: seen, predicate: {_eq: true}}', ['falling', 'rising']],
    ['corr: {arguments: {Y: y, X: x}, predicate: {_lt: 0}}', ['falling']],
    ['covar_samp: {arguments: {X: x, Y: y}, predicate: {_eq: 2}}', ['rising']],
  ])('%s', async (predicate, names) => {
    const query = `{ line(where: {dots_aggregate: {${predicate}}}, order_by: {name: asc}) { name } }`
    expect(await ask(query)).toEqual({ line: names.map((name) => ({ name })) })
  })

  test.each(['', 'count: {predicate: {_gt: 0}}, bool_or: {arguments: seen, predicate: {_eq: true}}'])(
    'require exactly one predicate: %s',
    async (predicates) => {
      expect(await ask(`{ line(where: {dots_aggregate: {${predicates}}}) { name } }`)).toEqual({
        message: 'exactly one predicate should be specified',
        code: 'validation-failed',
        path: '$.selectionSet.line.args.where.dots_aggregate',
      })
    },
  )
})

test('an array or a domain as the argument of a function has the scalar of its own name, and is shown as text', async () => {
  const query = 'query ($ids: _int4!, $above: percent) { dots_of(args: {ids: $ids, above: $above}) { id } }'
  expect(await ask(query, { ids: '{1,2,3}', above: '1' })).toEqual({ dots_of: [{ id: 2 }, { id: 3 }] })
  expect(await ask(query, { ids: [1] })).toEqual({
    message: 'A string is expected for type: _int4',
    code: 'parse-failed',
    path: '$.selectionSet.dots_of.args.args.ids',
  })
})
