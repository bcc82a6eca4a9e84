import { type IntrospectionQuery, buildClientSchema, getIntrospectionQuery, validateSchema } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLResult } from '../graphql-request.ts'
import { batchParameters } from '../live/batch.ts'
import { type Session, createSession } from '../session/types.ts'
import { admin, dataOf } from './testing/bookshop.ts'
import { type ServedMetadata, type TestProject, openProject } from './testing/open-project.ts'

/** The example of Hasura's documentation, with the article's author. */
const sql = `
  create table article (id int primary key, author_id int, title text not null, date date, content text not null);
  insert into article values
    (1, 1, 'One', '2023-01-01', 'Lorem ipsum dolor'), (2, 1, 'Two', '2023-02-01', 'Sit'), (3, 2, 'Three', null, 'Amet');
`

const reader = {
  role: 'reader',
  permission: { columns: ['id', 'excerpt'], filter: { author_id: { _eq: 'X-Hasura-Author-Id' } } },
}

const source = {
  name: 'default',
  tables: [],
  logical_models: [
    {
      name: 'article_excerpt',
      fields: [
        { name: 'id', type: { scalar: 'integer' } },
        { name: 'author_id', type: { scalar: 'integer', nullable: true } },
        { name: 'date', type: { scalar: 'date', nullable: true } },
        { name: 'excerpt', type: 'text', description: 'its beginning' },
      ],
      select_permissions: [reader],
    },
  ],
  native_queries: [
    {
      root_field_name: 'article_with_excerpt',
      arguments: {
        max_length: { type: 'integer' },
        title: { type: 'text', nullable: true, description: 'a pattern' },
      },
      // The code may end with a semicolon and a comment.
      code: `select id, author_id, date, substring(content, 1, {{max_length}})
               || case when length(content) <= {{max_length}} then '' else '…' end as excerpt
             from article where title ilike coalesce({{title}}, '%') -- all of them; `,
      returns: 'article_excerpt',
    },
    {
      root_field_name: 'all_articles',
      code: 'with a as (select * from article) select id, author_id, date, content as excerpt from a;',
      returns: 'article_excerpt',
      description: 'whole articles',
    },
  ],
}

let project: TestProject
let served: ServedMetadata
beforeAll(async () => {
  project = await openProject(sql)
  served = await project.serve({ sources: [source] })
})
afterAll(() => project.close())

const execute = (query: string, session: Session = admin, variables = {}): Promise<GraphQLResult> =>
  served.newExecutor().execute({ query, variables }, session)
const ask = async (query: string, session?: Session, variables?: object): Promise<unknown> =>
  dataOf(await execute(query, session, variables))

test('rows of SQL with arguments are filtered, sorted and cut like those of a table', async () => {
  const query = `query ($length: Int!, $title: String, $where: article_excerpt_bool_exp) {
    article_with_excerpt(
      args: {max_length: $length, title: $title}, where: $where, order_by: [{date: desc_nulls_last}], limit: 2
    ) { id excerpt __typename }
  }`
  expect(await ask(query, admin, { length: 3 })).toEqual({
    article_with_excerpt: [
      { id: 2, excerpt: 'Sit', __typename: 'article_excerpt' },
      { id: 1, excerpt: 'Lor…', __typename: 'article_excerpt' },
    ],
  })
  const where = { author_id: { _eq: 2 } }
  expect(await ask(query, admin, { length: 9, title: 't%', where })).toMatchObject({
    article_with_excerpt: [{ id: 3, excerpt: 'Amet' }],
  })
  expect(
    await ask('{ all_articles(distinct_on: author_id, order_by: [{author_id: asc}, {id: desc}]) { id } }'),
  ).toEqual({ all_articles: [{ id: 2 }, { id: 3 }] })
})

test('an argument is always a value, never SQL', async () => {
  const text = `'; drop table article; --`
  expect(
    await ask('query ($t: String) { article_with_excerpt(args: {max_length: 1, title: $t}) { id } }', admin, {
      t: text,
    }),
  ).toEqual({ article_with_excerpt: [] })
  expect(await ask('{ all_articles { id } }')).toEqual({ all_articles: [{ id: 1 }, { id: 2 }, { id: 3 }] })
})

test('a role sees the fields and rows that the logical model permits, and none without a permission', async () => {
  const session = createSession('reader', { 'x-hasura-author-id': '2' })
  expect(await ask('{ all_articles { id excerpt } }', session)).toEqual({
    all_articles: [{ id: 3, excerpt: 'Amet' }],
  })
  for (const query of [
    '{ all_articles { date } }',
    '{ all_articles(where: {date: {_is_null: true}}) { id } }',
  ])
    expect(await execute(query, session)).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
  expect(await execute('{ all_articles { id } }', createSession('stranger', {}))).toMatchObject({
    errors: [{ message: `field "all_articles" not found in type: 'query_root'` }],
  })
})

test.each([
  ['{ article_with_excerpt { id } }', 'missing required field "args"'],
  ['{ article_with_excerpt(args: {}) { id } }', 'missing required field "max_length"'],
])('%s is refused', async (query, message) => {
  expect(await execute(query)).toMatchObject({ errors: [{ message }] })
})

test('a subscription runs it once for all subscribers', async () => {
  const query = `subscription ($length: Int!) {
    article_with_excerpt(args: {max_length: $length}, where: {id: {_eq: 1}}) { excerpt }
  }`
  const members = [2, 4].map((length) =>
    served.newExecutor().prepareSubscription({ query, variables: { length } }, admin),
  )
  const [{ statement } = expect.fail('there are two')] = members
  const { rows } = await project.pool.query<{ root: unknown }>(statement.text, [
    ...batchParameters(statement.parameters.length, members),
  ])
  expect(rows.map(({ root }) => root)).toEqual([
    { article_with_excerpt: [{ excerpt: 'Lo…' }] },
    { article_with_excerpt: [{ excerpt: 'Lore…' }] },
  ])
})

test('its types are named after the logical model, and are a valid schema', async () => {
  const result = await served.newExecutor().execute({ query: getIntrospectionQuery() }, admin)
  const schema = buildClientSchema(dataOf(result) as IntrospectionQuery)
  expect(validateSchema(schema)).toEqual([])
  const field = schema.getQueryType()?.getFields()['article_with_excerpt']
  expect(String(field?.type)).toBe('[article_excerpt!]!')
  expect(Object.fromEntries((field?.args ?? []).map(({ name, type }) => [name, String(type)]))).toEqual({
    args: 'article_with_excerpt_arguments!',
    distinct_on: '[article_excerpt_enum_name!]',
    limit: 'Int',
    offset: 'Int',
    order_by: '[article_excerpt_order_by!]',
    where: 'article_excerpt_bool_exp',
  })
})
