import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as operations from '@graphql-codegen/typescript-operations'
import {
  type IntrospectionQuery,
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  parse,
  printSchema,
  validateSchema,
} from 'graphql'
import { ClientError, GraphQLClient } from 'graphql-request'
import { describe, expect, test } from 'vitest'
import { ada, adminHeaders, articleId, authorHeaders, openBlogForFile } from './blog.ts'
import { TitleDocument } from './generated/blog.ts'

const blog = await openBlogForFile()

const introspect = (url: string, headers: Readonly<Record<string, string>>): Promise<IntrospectionQuery> =>
  new GraphQLClient(url, { headers }).request<IntrospectionQuery>(
    // The query that GraphiQL sends at its start; Hasura's console uses GraphiQL.
    getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true, specifiedByUrl: true }),
  )

describe.each([
  ['admin', adminHeaders],
  ['an author', authorHeaders(ada)],
])('the schema of %s', (_, headers) => {
  test.each(['graphqlUrl', 'relayUrl'] as const)('from introspection of %s is valid', async (url) => {
    const schema = buildClientSchema(await introspect(blog[url], headers))
    expect(validateSchema(schema)).toEqual([])
    expect(schema.getQueryType()?.name).toBe('query_root')
  })
})

test('the schema of an author is the one from which codegen.yml generates the applications’ documents', async () => {
  const schema = buildClientSchema(await introspect(blog.graphqlUrl, authorHeaders(ada)))
  await expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toMatchFileSnapshot('blog-schema.graphql')
})

test('graphql-codegen generates types of the schema and of documents that match the answers', async () => {
  const schema = buildClientSchema(await introspect(blog.graphqlUrl, authorHeaders(ada)))
  const document = parse(`query Titles($where: article_bool_exp!) {
    article(where: $where) { id title views author { name } remarks { said } }
  }`)
  const generated = await codegen({
    documents: [{ location: 'titles.graphql', document }],
    schema: parse(printSchema(lexicographicSortSchema(schema))),
    filename: 'types.ts',
    config: { scalars: { uuid: 'string', bigint: 'string', timestamptz: 'string', jsonb: 'unknown' } },
    plugins: [{ typescript: {} }, { operations: {} }],
    pluginMap: { typescript, operations },
  })
  expect(generated).toMatch(/TitlesQuery = .*article: Array<\{.* id: string, title: string, views: number/)
  expect(generated).toMatch(/author: \{.* name: string }, remarks: Array</)
})

describe('graphql-request', () => {
  const client = () => new GraphQLClient(blog.graphqlUrl, { headers: authorHeaders(ada) })

  test('sends one request’s variables and headers, and returns the data', async () => {
    const hidden = { id: articleId(5) }
    expect(await client().request(TitleDocument, hidden)).toEqual({ article_by_pk: { title: 'Article 5' } })
    expect(await client().request(TitleDocument, { id: articleId(3) })).toEqual({
      article_by_pk: { title: 'Article 3' },
    })
    await expect(
      client().request(TitleDocument, { id: articleId(3) }, { 'x-hasura-role': 'stranger' }),
    ).rejects.toThrow(`field "article_by_pk" not found in type: 'query_root'`)
  })

  test('sends a batch', async () => {
    const answers: unknown = await client().batchRequests([
      { document: '{ article(limit: 1) { id } }' },
      { document: 'query ($n: Int) { author(limit: $n) { id } }', variables: { n: 2 } },
    ])
    expect(answers).toMatchObject([{ data: { article: { length: 1 } } }, { data: { author: { length: 2 } } }])
  })

  test('throws the errors of an answer with status 200', async () => {
    const failed: unknown = await client()
      .request('mutation { delete_author(where: {}) { affected_rows } }')
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ClientError)
    expect((failed as ClientError).response).toMatchObject({
      status: 200,
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
  })
})
