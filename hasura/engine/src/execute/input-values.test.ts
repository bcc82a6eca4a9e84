import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  project = await openProject(`
    create extension ltree;
    create type mood as enum ('sad', 'happy');
    create table shelf (id int primary key, name text);
    create table thing (
      id int primary key, small int2, big int8, price numeric, weight float8, used bool, name text, mood mood, made date,
      code uuid, spare interval, data jsonb, counts int[], required text not null, shelf_id int references shelf,
      place ltree
    );
    insert into shelf values (1, 'top');
    insert into thing values
      (1, 1, 9007199254740993, 1.50, 2.5, true, 'a', 'sad', '2020-01-02', '0e37df36-f698-11e6-8dd4-cb9ced3df976',
       '1 day', '{"a": 1}', '{1,2}', 'x', 1),
      (2, null, null, null, null, null, null, null, null, null, null, null, null, 'y', null);
  `)
  const { newExecutor } = await project.serve({
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: 'shelf',
            array_relationships: [
              {
                name: 'things',
                using: { foreign_key_constraint_on: { table: 'thing', column: 'shelf_id' } },
              },
            ],
          },
          {
            table: 'thing',
            object_relationships: [{ name: 'shelf', using: { foreign_key_constraint_on: 'shelf_id' } }],
          },
        ],
      },
    ],
  })
  executor = newExecutor()
})
afterAll(() => project.close())

const admin = createSession('admin', {})

async function ask(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const result = await executor.execute({ query, variables }, admin)
  if (result.kind === 'data') return JSON.parse(result.json) as unknown
  const [error] = result.errors
  return { message: error?.message, ...error?.extensions }
}

const found = { thing: [{ id: 1 }] }
const at = '$.selectionSet.thing.args.where'

describe('the value of a column', () => {
  test.each([
    'id: {_eq: "1"}',
    'small: {_in: ["1", 2]}',
    'big: {_eq: 9007199254740993}',
    'big: {_eq: "9007199254740993"}',
    'price: {_eq: "1.5"}',
    'weight: {_lt: "NaN"}',
    'used: {_eq: "t"}',
    'name: {_eq: a}',
    'mood: {_in: ["sad"]}',
    'made: {_eq: "2020-1-2"}',
    'counts: {_eq: ["1", 2]}',
    'counts: {_eq: "{1,2}"}',
    'data: {_jsonb_path_exists: "$.a ? (@ > 0)"}',
    'data: {_jsonb_path_match: "$.a == 1"}',
  ])('may be a text or JSON of its kind: %s', async (where) => {
    expect(await ask(`{ thing(where: {${where}}) { id } }`)).toEqual(found)
  })

  test.each([
    ['name: {_eq: 1}', 'name._eq', 'parsing Text failed, expected String, but encountered Number'],
    [
      'name: {_in: ["a", true]}',
      'name._in[1]',
      'parsing Text failed, expected String, but encountered Boolean',
    ],
    ['used: {_eq: 1}', 'used._eq', 'parsing Bool failed, expected Boolean, but encountered Number'],
    [
      'id: {_eq: true}',
      'id._eq',
      'parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean',
    ],
    ['price: {_eq: {}}', 'price._eq', 'parsing Scientific failed, expected Number, but encountered Object'],
    ['code: {_eq: 5}', 'code._eq', 'parsing UUID failed, expected String, but encountered Number'],
    ['spare: {_eq: 5}', 'spare._eq', 'A string is expected for type: interval'],
    ['mood: {_eq: 5}', 'mood._eq', 'A string is expected for type: mood'],
    [
      'small: {_eq: 32768}',
      'small._eq',
      'The value 32768.0 lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?',
    ],
    [
      'big: {_eq: 9223372036854775808}',
      'big._eq',
      'The value 9.223372036854776e18 lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?',
    ],
  ])('of another kind is refused at its path: %s', async (where, path, message) => {
    expect(await ask(`{ thing(where: {${where}}) { id } }`)).toEqual({
      message,
      code: 'parse-failed',
      path: `${at}.${path}`,
    })
  })

  test('that Postgres can not read is an error of Postgres', async () => {
    expect(await ask('{ thing(where: {id: {_eq: "one"}}) { id } }')).toEqual({
      message: 'invalid input syntax for type integer: "one"',
      code: 'data-exception',
      path: '$',
    })
  })

  test('comes from a variable under the same rules', async () => {
    const query =
      'query ($name: String, $big: bigint) { thing(where: {name: {_eq: $name}, big: {_eq: $big}}) { id } }'
    expect(await ask(query, { name: 'a', big: '9007199254740993' })).toEqual(found)
    expect(await ask(query, { name: 1 })).toMatchObject({ code: 'parse-failed', path: `${at}.name._eq` })
  })
})

describe('null', () => {
  test.each([
    ['_and: null', '_and', 'expected a list, but found null'],
    ['_not: null', '_not', 'expected an object for type "thing_bool_exp", but found null'],
    ['id: null', 'id', 'expected an object for type "Int_comparison_exp", but found null'],
    ['shelf: null', 'shelf', 'expected an object for type "shelf_bool_exp", but found null'],
    ['id: {_eq: null}', 'id._eq', `unexpected null value for type 'Int'`],
    ['id: {_in: null}', 'id._in', 'expected a list, but found null'],
    ['id: {_in: [1, null]}', 'id._in[1]', `unexpected null value for type 'Int'`],
    ['id: {_is_null: null}', 'id._is_null', 'expected a boolean for type "Boolean", but found null'],
    ['counts: {_eq: null}', 'counts._eq', `unexpected null value for type 'Int'`],
  ])('in a condition does not select every row, but is refused: %s', async (where, path, message) => {
    const refusal = { message, code: 'validation-failed', path: `${at}.${path}` }
    expect(await ask(`{ thing(where: {${where}}) { id } }`)).toEqual(refusal)
    const whole = 'query ($where: thing_bool_exp) { thing(where: $where) { id } }'
    const quoted: unknown = JSON.parse(`{${where.replaceAll(/(\w+):/g, '"$1":')}}`)
    expect(await ask(whole, { where: quoted })).toEqual(refusal)
  })

  test.each(['where', 'order_by', 'limit', 'offset', 'distinct_on'])(
    'as %s counts as absent',
    async (argument) => {
      expect(await ask(`{ shelf(${argument}: null) { id } }`)).toEqual({ shelf: [{ id: 1 }] })
    },
  )

  test('is written to columns that may be null, and refused for others', async () => {
    const update = (set: string): Promise<unknown> =>
      ask(`mutation { update_thing(where: {id: {_eq: 2}}, _set: ${set}) { returning { name required } } }`)
    expect(await update('{name: null}')).toEqual({
      update_thing: { returning: [{ name: null, required: 'y' }] },
    })
    expect(await update('{required: null}')).toEqual({
      message: `unexpected null value for type 'String'`,
      code: 'validation-failed',
      path: '$.selectionSet.update_thing.args._set.required',
    })
    expect(await update('null')).toMatchObject({
      message: 'expected an object for type "thing_set_input", but found null',
    })
    expect(await ask('mutation { insert_thing_one(object: {id: 3, required: null}) { id } }')).toMatchObject({
      path: '$.selectionSet.insert_thing_one.args.object.required',
    })
  })
})

describe('a value that planning refuses is refused as well when the same operation ran before with another', () => {
  test.each<[string, string, object, object, object]>([
    [
      'null in a list',
      'query ($l: [Int!]) { thing(where: {id: {_nin: $l}}) { id } }',
      { l: [1] },
      { l: [1, null] },
      { message: `unexpected null value for type 'Int'` },
    ],
    [
      'null in a list of a whole condition',
      'query ($w: thing_bool_exp!) { thing(where: $w) { id } }',
      { w: { id: { _nin: [1] } } },
      { w: { id: { _nin: [1, null] } } },
      { message: `unexpected null value for type 'Int'` },
    ],
    [
      'null in a column’s array',
      'mutation ($o: thing_set_input!) { update_thing(where: {id: {_eq: 2}}, _set: $o) { affected_rows } }',
      { o: { counts: [1] } },
      { o: { counts: [1, null] } },
      { message: `unexpected null value for type 'Int'` },
    ],
    [
      'what is no path of labels',
      'query ($l: ltree) { thing(where: {place: {_ancestor: $l}}) { id } }',
      { l: 'a.b' },
      { l: 'a..b' },
      { message: expect.stringContaining('Expecting label path') as string, code: 'parse-failed' },
    ],
    [
      'what is no path of labels, in a list',
      'query ($l: [ltree!]) { thing(where: {place: {_ancestor_any: $l}}) { id } }',
      { l: ['a'] },
      { l: ['a', 'b c'] },
      { message: expect.stringContaining('Expecting label path') as string, code: 'parse-failed' },
    ],
  ])('%s', async (_, query, sound, refused, error) => {
    const before = await ask(query, { ...refused })
    expect(before).toMatchObject(error)
    expect(await ask(query, { ...sound })).not.toHaveProperty('message')
    expect(await ask(query, { ...refused })).toEqual(before)
    expect(await ask(query, { ...sound })).not.toHaveProperty('message')
  })
})

describe('variables', () => {
  test.each(['constructor', 'toString', '__proto__'])('may be called %s, given or not', async (name) => {
    const query = `query ($${name}: Int) { thing(order_by: {id: asc}, limit: $${name}) { id } }`
    expect(await ask(query)).toEqual({ thing: [{ id: 1 }, { id: 2 }] })
    expect(await ask(query, Object.fromEntries([[name, 1]]))).toEqual(found)
  })

  test('must be used, in the operation or in a fragment', async () => {
    const query =
      'query ($id: Int, $more: Int) { ...things } fragment things on query_root { thing(where: {id: {_eq: $id}}) { id } }'
    expect(await ask(query, { id: 1 })).toEqual(found)
    expect(await ask(query, { id: 1, more: 2 })).toEqual({
      message: 'unexpected variables in variableValues: more',
      code: 'validation-failed',
      path: '$',
    })
  })

  test.each([
    [
      'query ($x: Int!) { thing(limit: $x) { id } }',
      {},
      'expecting a value for non-nullable variable: "x"',
      'validation-failed',
    ],
    [
      'query ($x: Int!) { thing(limit: $x) { id } }',
      { x: null },
      'null value found for non-nullable type: "Int!"',
      'validation-failed',
    ],
    [
      'query ($x: Int, $x: Int) { thing(limit: $x) { id } }',
      { x: 1 },
      'multiple definitions for variable "x"',
      'parse-failed',
    ],
    ['{ thing(limit: $x) { id } }', {}, 'unbound variable "x"', 'validation-failed'],
  ])(
    'that are invalid in any place are reported at the root: %s %o',
    async (query, variables, message, code) => {
      expect(await ask(query, variables)).toEqual({ message, code, path: '$' })
    },
  )

  test('with numbers are named as such in errors, with the path of the list that a single value stands for', async () => {
    const query = 'query ($order: [thing_order_by!]) { thing(order_by: $order) { id } }'
    expect(await ask(query, { order: { id: 1 } })).toEqual({
      message: 'expected an enum value for type "order_by", but found a number',
      code: 'validation-failed',
      path: '$.selectionSet.thing.args.order_by[0].id',
    })
  })
})

describe('an offset', () => {
  test.each(['1', '"1"'])('of %s leaves out a row', async (offset) => {
    expect(await ask(`{ thing(order_by: {id: asc}, offset: ${offset}) { id } }`)).toEqual({
      thing: [{ id: 2 }],
    })
  })

  test('may have 64 bits, as a variable or a text', async () => {
    const query = 'query ($offset: Int) { thing(offset: $offset) { id } }'
    for (const offset of [4_294_967_296, '9223372036854775807'])
      expect(await ask(query, { offset })).toEqual({ thing: [] })
    expect(await ask(query, { offset: 'x' })).toMatchObject({
      message:
        'expected a 32-bit integer, or a 64-bit integer represented as a string for type "Int", but found a string',
    })
    expect(await ask(query, { offset: -1 })).toMatchObject({ message: 'OFFSET must not be negative' })
  })
})

test.each([
  ['[name, made]', '{name: asc}'],
  ['[name]', '[{made: asc}, {name: asc}]'],
  ['[name, made]', '[{name: asc}, {name: desc}, {made: asc}]'],
])('distinct_on: %s must be the first columns of order_by: %s', async (distinct, order) => {
  expect(await ask(`{ thing(distinct_on: ${distinct}, order_by: ${order}) { id } }`)).toEqual({
    message: '"distinct_on" columns must match initial "order_by" columns',
    code: 'validation-failed',
    path: '$.selectionSet.thing.args',
  })
})

test('an anonymous operation can not be selected by name', async () => {
  const result = await executor.execute({ query: '{ thing { id } }', operationName: 'things' }, admin)
  expect(result).toMatchObject({
    errors: [{ message: 'operationName cannot be used when an anonymous operation exists in the document' }],
  })
})

describe('null for a variable that has a default', () => {
  const count = async (query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const answer = (await ask(query, variables)) as { readonly thing?: readonly unknown[] }
    return answer.thing?.length ?? answer
  }

  test('is null, and not the default, whichever of them came first', async () => {
    const limited = 'query ($limit: Int = 0) { thing(limit: $limit) { id } }'
    const all = await count('{ thing { id } }', {})
    expect(all).toBeGreaterThan(0)
    for (let round = 1; round <= 2; round += 1) {
      expect(await count(limited, {})).toBe(0)
      expect(await count(limited, { limit: null })).toBe(all)
      expect(await count(limited, { limit: 1 })).toBe(1)
    }
    const filtered = 'query ($where: thing_bool_exp = {id: {_eq: -1}}) { thing(where: $where) { id } }'
    expect(await count(filtered, {})).toBe(0)
    expect(await count(filtered, { where: null })).toBe(all)
  })

  test.each([
    ['query ($id: Int = 1) { thing_by_pk(id: $id) { id } }', { id: null }],
    ['query ($id: Int = 1) { thing(where: {id: {_eq: $id}}) { id } }', { id: null }],
    ['query ($if: Boolean = true) { thing { id @include(if: $if) } }', { if: null }],
  ])('is refused where null is not allowed: %s', async (query, variables) => {
    expect(await ask(query, {})).not.toHaveProperty('message')
    expect(await ask(query, variables)).toHaveProperty('message')
  })
})

test('more values than a statement of Postgres can have are refused, and nothing is written', async () => {
  const query =
    'mutation ($objects: [shelf_insert_input!]!) { insert_shelf(objects: $objects) { affected_rows } }'
  const shelves = (count: number) => ({
    objects: Array.from({ length: count }, (_, index) => ({ id: 1_000 + index, name: `shelf ${index}` })),
  })
  expect(await ask(query, shelves(32_768))).toEqual({
    message: 'the statement has 65536 values, and Postgres takes 65535 at most: send fewer at once',
    code: 'validation-failed',
    path: '$.selectionSet.insert_shelf.args.objects',
  })
  expect(await ask('{ shelf { id } }')).toEqual({ shelf: [{ id: 1 }] })
  expect(await ask(query, shelves(32_767))).toEqual({ insert_shelf: { affected_rows: 32_767 } })
  expect(await ask('mutation { delete_shelf(where: {id: {_gte: 1000}}) { affected_rows } }')).toEqual({
    delete_shelf: { affected_rows: 32_767 },
  })
})
