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
import { ClientError, GraphQLClient, gql } from 'graphql-request'
import { describe, expect, test } from 'vitest'
import { ada, adminHeaders, articleId, authorHeaders, openBlogForFile } from './blog.ts'

const blog = await openBlogForFile()

const introspect = (url: string, headers: Readonly<Record<string, string>>): Promise<IntrospectionQuery> =>
  new GraphQLClient(url, { headers }).request<IntrospectionQuery>(
    // What GraphiQL, Hasura's console among its users, asks for at its start.
    getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true, specifiedByUrl: true }),
  )

describe.each([
  ['admin', adminHeaders],
  ['an author', authorHeaders(ada)],
])('the schema of %s', (_, headers) => {
  test.each(['graphqlUrl', 'relayUrl'] as const)(
    'that introspection of %s tells is a valid one',
    async (url) => {
      const schema = buildClientSchema(await introspect(blog[url], headers))
      expect(validateSchema(schema)).toEqual([])
      expect(schema.getQueryType()?.name).toBe('query_root')
    },
  )
})

test('graphql-codegen makes types of it, and of documents, that say what the answers are', async () => {
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

  test('sends variables and headers of one request, and takes the data', async () => {
    const query = gql`
      query ($id: uuid!) {
        article_by_pk(id: $id) {
          title
        }
      }
    `
    const hidden = { id: articleId(5) }
    expect(await client().request(query, hidden)).toEqual({ article_by_pk: { title: 'Article 5' } })
    expect(await client().request(query, { id: articleId(3) })).toEqual({
      article_by_pk: { title: 'Article 3' },
    })
    await expect(
      client().request(query, { id: articleId(3) }, { 'x-hasura-role': 'stranger' }),
    ).rejects.toThrow(`field "article_by_pk" not found in type: 'query_root'`)
  })

  test('takes a batch', async () => {
    const answers: unknown = await client().batchRequests([
      { document: '{ article(limit: 1) { id } }' },
      { document: 'query ($n: Int) { author(limit: $n) { id } }', variables: { n: 2 } },
    ])
    expect(answers).toMatchObject([{ data: { article: { length: 1 } } }, { data: { author: { length: 2 } } }])
  })

  test('throws the errors of an answer, which comes with status 200', async () => {
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
