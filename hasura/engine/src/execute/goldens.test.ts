import { afterAll, beforeAll, expect, test } from 'vitest'
import { format } from 'node:util'
import { format as layOut } from 'sql-formatter'
import { parseOperation } from '../plan/document.ts'
import { batchParameters } from '../live/batch.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { type RowCommandKind, parseRowCommand } from '../rows/row-command.ts'
import { compileRowCommand, scopeOf } from '../rows/row-commands.ts'
import { runRowCommand } from '../rows/testing/run-row-command.ts'
import { type GraphQLApi, buildRoleSchema } from '../schema/role-schema.ts'
import { buildSourceModel } from '../schema/build-source-model.ts'
import type { Session } from '../session/types.ts'
import { compileOperation } from './compile-operation.ts'
import { type CompiledStatement, statementsOf } from './compile.ts'
import { type Bookshop, admin, merchant, openBookshop, reader } from './testing/bookshop.ts'

/** A golden holds a request, the SQL compiled from it, and the answer of a real Postgres. */
interface Golden {
  readonly name: string
  readonly session: Session
  readonly query: string
  readonly variables?: Readonly<Record<string, JsonValue>>
  readonly api?: GraphQLApi
}

/** Node ids as the engine writes them, for variables. */
const base64 = (json: string): string => Buffer.from(json).toString('base64')

const goldens: readonly Golden[] = [
  {
    name: 'connection-forward',
    session: merchant(1),
    api: 'relay',
    query: `query ($after: String) {
      book_connection(first: 2, after: $after, order_by: [{author: {name: desc}}, {publishedAt: asc_nulls_first}], where: {price: {_gt: 0}}) {
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        edges { cursor node { id title author { id books_connection(last: 1) { pageInfo { hasPreviousPage } edges { node { title } } } } } }
      }
    }`,
    variables: {
      after: base64('{"author": {"name": "Bob"}, "published_at": null, "merchant_id": 1, "id": 2}'),
    },
  },
  {
    name: 'node',
    session: merchant(1),
    api: 'relay',
    query:
      'query ($id: ID!) { node(id: $id) { __typename id ... on book { title } ... on author { name } } }',
    variables: { id: base64('[1, "public", "book", 1, 1]') },
  },
  {
    name: 'rows-with-relationships',
    session: merchant(1),
    query: `query ($limit: Int) {
      book(where: {status: {_eq: ACTIVE}}, order_by: [{publishedAt: desc_nulls_last}, {id: asc}], limit: $limit) {
        id title publishedAt
        author { name }
        reviews(order_by: {rating: desc}) { rating reader }
      }
    }`,
    variables: { limit: 3 },
  },
  {
    name: 'row-by-key',
    session: merchant(1),
    query:
      '{ book_by_pk(merchant_id: 1, id: 1) { __typename title cover: attributes(path: "format.cover") } }',
  },
  {
    name: 'permission-limit',
    session: reader(1),
    query:
      '{ book(order_by: {id: desc}, limit: 10) { id } book_aggregate { aggregate { count } nodes { id } } }',
  },
  {
    name: 'filter-over-relationships',
    session: merchant(1),
    query: `query ($where: book_bool_exp!) { book(where: $where, order_by: {id: asc}) { id } }`,
    variables: {
      where: {
        _or: [
          { reviews: { rating: { _gte: 4 }, _not: { reader: { _ilike: 's%' } } } },
          { author: { name: { _in: ['Bob', 'Cleo'] } } },
          { reviews_aggregate: { count: { predicate: { _eq: 2 } } } },
        ],
      },
    },
  },
  {
    name: 'operators-of-json-and-arrays',
    session: admin,
    query: `{ book(where: {attributes: {_has_key: "pages", _contains: {pages: 100}}, tags: {_contains: ["two words"]}}) { id tags attributes } }`,
  },
  {
    name: 'order-through-relationships',
    session: merchant(1),
    query: `{ book(order_by: [{author: {name: desc_nulls_last}}, {reviews_aggregate: {avg: {rating: desc_nulls_last}}}, {label: asc}]) { id } }`,
  },
  {
    name: 'distinct-on',
    session: merchant(1),
    query: '{ book(distinct_on: status, order_by: [{status: asc}, {price: desc}]) { status title } }',
  },
  {
    name: 'aggregates',
    session: merchant(1),
    query: `{ book_aggregate(where: {status: {_eq: ACTIVE}}) {
      aggregate { count distinct: count(columns: author_id, distinct: true) min { price } sum { price } avg { id } }
      nodes { title }
    } }`,
  },
  {
    // Counting distinct values sorts the rows; the nodes must keep their order.
    name: 'aggregate-beside-nodes-in-order',
    session: merchant(1),
    query: `{ book_aggregate(order_by: {id: desc}) {
      aggregate { count(columns: status, distinct: true) }
      nodes { id status }
    } }`,
  },
  {
    name: 'computed-fields',
    session: merchant(1),
    query: `{ book(where: {isMine: {_eq: true}}, order_by: {id: asc}, limit: 2) {
      label short: label(args: {separator: "/"}) isMine goodReviews(order_by: {id: asc}) { reader }
    } }`,
  },
  {
    name: 'function',
    session: merchant(1),
    query: 'query ($text: String!) { search_books(args: {search: $text}, order_by: {id: asc}) { id title } }',
    variables: { text: 'ta' },
  },
  {
    name: 'native-query',
    session: merchant(1),
    query: `query ($status: String) {
      sales_by_author(args: {status: $status}, where: {author: {_neq: "Cleo"}}, order_by: {worth: desc_nulls_last}) { author worth }
    }`,
    variables: { status: 'ACTIVE' },
  },
  {
    name: 'insert-with-preset-and-check',
    session: merchant(1),
    query: `mutation ($objects: [book_insert_input!]!) {
      insert_book(objects: $objects) { affected_rows returning { title price status label author { name } } }
    }`,
    variables: {
      objects: [
        { title: 'New', price: 5, author_id: 2, tags: ['a', 'b"c'] },
        { title: 'Newer', price: 6 },
      ],
    },
  },
  {
    name: 'upsert',
    session: merchant(1),
    query: `mutation { insert_author(
      objects: [{name: "Ann"}, {name: "Dora"}]
      on_conflict: {constraint: author_merchant_id_name_key, update_columns: [name], where: {name: {_neq: "Unknown"}}}
    ) { affected_rows } }`,
  },
  {
    name: 'nested-insert',
    session: merchant(1),
    query: `mutation { insert_book_one(object: {
      title: "Nested", price: 7
      author: {data: {name: "Eve"}}
      reviews: {data: [{rating: 5, reader: "Kim"}, {rating: 4, reader: "Lee"}]}
    }) { title author { name } reviews(order_by: {reader: asc}) { reader rating } } }`,
  },
  {
    name: 'update-with-check',
    session: merchant(1),
    query: `mutation { update_book(
      where: {id: {_lte: 2}}, _inc: {price: 1}, _append: {attributes: {sale: true}}
    ) { affected_rows returning { id price attributes } } }`,
  },
  {
    name: 'update-many',
    session: merchant(1),
    query: `mutation { update_book_many(updates: [
      {where: {id: {_eq: 1}}, _set: {title: "First"}}
      {where: {id: {_eq: 99}}, _set: {title: "None"}}
    ]) { affected_rows returning { title } } }`,
  },
  {
    name: 'delete-by-key',
    session: merchant(1),
    query: 'mutation { delete_book_by_pk(merchant_id: 1, id: 2) { title } }',
  },
]

let shop: Bookshop
beforeAll(async () => {
  shop = await openBookshop()
})
afterAll(() => shop.close())

for (const golden of goldens)
  test(`compiles and runs ${golden.name}`, async () => {
    const { query, variables = {}, session, api } = golden
    const statements = compiled(golden).map(printed)
    // Ids drawn by a mutation stay the same, because each golden of a mutation has a shop of its own.
    const own = query.startsWith('mutation') ? await openBookshop() : shop
    try {
      const answer = await own.executor.execute({ query, variables, api }, session)
      const parts = [query, format('%j %j', session.role, variables), ...statements, pretty(answer)]
      await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(`goldens/${golden.name}.txt`)
    } finally {
      if (own !== shop) await own.close()
    }
  })

const subscriptions: readonly Golden[] = [
  {
    name: 'live-query',
    session: merchant(1),
    query: `subscription ($title: String!) {
      book(where: {title: {_ilike: $title}}, order_by: [{id: asc}]) { title author { name } }
    }`,
    variables: { title: 'a%' },
  },
  {
    name: 'stream',
    session: merchant(1),
    query: `subscription ($after: bigint!) {
      book_stream(batch_size: 2, cursor: [{initial_value: {price: $after}, ordering: DESC}]) { title price }
    }`,
    variables: { after: '3001' },
  },
]

for (const { name, session, query, variables = {} } of subscriptions)
  test(`compiles and runs ${name}, for a batch of two merchants`, async () => {
    const members = [session, merchant(2)].map((member) =>
      shop.executor.prepareSubscription({ query, variables }, member),
    )
    const [{ statement } = expect.fail('there are two')] = members
    const values = batchParameters(statement.parameters.length, members)
    const { rows } = await shop.pool.query({ text: statement.text, values: [...values], rowMode: 'array' })
    const parts = [query, format('%j %j', session.role, variables), printed(statement), format('%j', values)]
    const answers = rows.map((row) => JSON.stringify(row)).join('\n')
    await expect(`${[...parts, answers].join('\n\n')}\n`).toMatchFileSnapshot(`goldens/${name}.txt`)
  })

/** Commands of `/v1/query`, which compile to the same statements. */
const rowCommands: readonly {
  readonly name: string
  readonly session: Session
  readonly kind: RowCommandKind
  readonly args: object
}[] = [
  {
    name: 'row-select',
    session: merchant(1),
    kind: 'select',
    args: {
      table: 'book',
      columns: [
        'title',
        { name: 'author', columns: ['*'] },
        { name: 'reviews', columns: ['rating'], limit: 1 },
      ],
      where: { $or: [{ price: { $lt: 2000 } }, { reviews: { reader: 'Rita' } }], author_id: { $ne: null } },
      order_by: ['-author.name', { column: 'id', nulls: 'first' }],
    },
  },
  {
    name: 'row-count',
    session: merchant(1),
    kind: 'count',
    args: { table: 'book', distinct: ['status', 'author_id'] },
  },
  {
    name: 'row-insert',
    session: merchant(1),
    kind: 'insert',
    args: {
      table: 'author',
      objects: [{ name: 'Ann' }, { name: 'Dora' }],
      on_conflict: { action: 'update', constraint_on: ['merchant_id', 'name'] },
      returning: ['name'],
    },
  },
  {
    name: 'row-update',
    session: merchant(1),
    kind: 'update',
    args: {
      table: 'book',
      where: { id: 1 },
      $set: { tags: ['new'] },
      $mul: { price: 2 },
      $default: ['status'],
      returning: ['price', 'status'],
    },
  },
]

for (const { name, session, kind, args } of rowCommands)
  test(`compiles and runs ${name}`, async () => {
    const own = await openBookshop()
    try {
      const { metadata, catalog } = own.snapshot
      const scope = scopeOf(own.snapshot, buildSourceModel(metadata, catalog), session)
      const statement = compileRowCommand(parseRowCommand(kind, args), scope, false)
      const answer = JSON.stringify(await runRowCommand(own, kind, args, session))
      const parts = [format('%s %j', kind, args), session.role, printed(statement), answer]
      await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(`goldens/${name}.txt`)
    } finally {
      await own.close()
    }
  })

/** The statement laid out over several lines (only white space differs), and its parameters. */
function printed({ text, parameters }: Pick<CompiledStatement, 'text' | 'parameters'>): string {
  const lines = layOut(text, { language: 'postgresql', keywordCase: 'preserve', expressionWidth: 100 })
  expect(lines.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
  return [lines, ...parameters.map((parameter, at) => format('  $%d %j', at + 1, parameter))].join('\n')
}

const pretty = (answer: Awaited<ReturnType<Bookshop['executor']['execute']>>): string =>
  answer.kind === 'data' ? answer.json : JSON.stringify(answer.errors)

function compiled({ query, variables = {}, session, api = 'graphql' }: Golden): readonly CompiledStatement[] {
  const { metadata, catalog } = shop.snapshot
  const roleSchema = buildRoleSchema(metadata, buildSourceModel(metadata, catalog), {
    api,
    role: session.role,
    backendOnly: false,
    inferFunctionPermissions: true,
  })
  const { groups } = compileOperation(parseOperation(query, undefined), variables, roleSchema, false)
  return groups
    .flatMap((group) => (group.kind === 'database' ? group.fields : []))
    .flatMap((field) => (field.kind === 'database' ? statementsOf(field.field) : []))
}
