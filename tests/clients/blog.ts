import { readFile } from 'node:fs/promises'
import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { type Metadata, startEngine } from 'hasura-embedded'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll } from 'vitest'

/** The address of a Hasura and the headers for it. */
export interface Blog {
  readonly graphqlUrl: string
  readonly webSocketUrl: string
  readonly relayUrl: string
  /** For changes that no client makes. */
  readonly database: pg.Pool
  readonly close: () => Promise<void>
}

export type NamingConvention = 'hasura-default' | 'graphql-default'

export const ada = '00000000-0000-4000-8000-00000000000a'
export const bo = '00000000-0000-4000-8000-00000000000b'

export const articleId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const adminSecret = 'secret'

/** The headers of an author, who sees what is published, and what is their own. */
export const authorHeaders = (id: string): Readonly<Record<string, string>> => ({
  'x-hasura-admin-secret': adminSecret,
  'x-hasura-role': 'author',
  'x-hasura-user-id': id,
})

export const adminHeaders: Readonly<Record<string, string>> = { 'x-hasura-admin-secret': adminSecret }

/** A blog of two authors behind an engine's HTTP server. */
export async function openBlog(naming: NamingConvention = 'hasura-default'): Promise<Blog> {
  const { url: databaseUrl, drop } = await createTestDatabase()
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  await database.query(await readFile(new URL('blog.sql', import.meta.url), 'utf8'))
  const engine = await startEngine({
    databaseUrl,
    adminSecret,
    port: 0,
    liveQueries: { intervalMs: 50, batchSize: 100 },
    streamingQueries: { intervalMs: 50, batchSize: 100 },
    logger: pino({ level: 'silent' }),
  })
  const inconsistencies = await engine.replaceMetadata(metadata(naming))
  if (inconsistencies.length > 0) throw new Error(JSON.stringify(inconsistencies))
  const url = engine.url ?? ''
  return {
    graphqlUrl: `${url}/v1/graphql`,
    webSocketUrl: `${url.replace('http', 'ws')}/v1/graphql`,
    relayUrl: `${url}/v1beta1/relay`,
    database,
    close: async () => {
      await engine.stop()
      await database.end()
      await drop()
    },
  }
}

/** A blog that the tests of one file share. It is closed after the last of them. */
export async function openBlogForFile(): Promise<Blog> {
  const blog = await openBlog()
  afterAll(() => blog.close())
  return blog
}

const own = { author_id: { _eq: 'X-Hasura-User-Id' } }
const visible = { _or: [{ is_published: { _eq: true } }, own] }

const table = (name: string) => ({ schema: 'public', name })

const metadata = (naming: NamingConvention): Metadata => ({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      customization: { naming_convention: naming },
      tables: [
        {
          table: table('author'),
          array_relationships: [
            {
              name: 'articles',
              using: { foreign_key_constraint_on: { table: table('article'), column: 'author_id' } },
            },
          ],
          select_permissions: [{ role: 'author', permission: { columns: '*', filter: {} } }],
        },
        {
          table: table('article'),
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          array_relationships: [
            {
              name: 'remarks',
              using: { foreign_key_constraint_on: { table: table('remark'), column: 'article_id' } },
            },
          ],
          select_permissions: [
            { role: 'author', permission: { columns: '*', filter: visible, allow_aggregations: true } },
          ],
          insert_permissions: [
            {
              role: 'author',
              permission: {
                columns: ['id', 'title', 'tags', 'views', 'is_published'],
                check: {},
                set: { author_id: 'X-Hasura-User-Id' },
              },
            },
          ],
          update_permissions: [
            {
              role: 'author',
              permission: { columns: ['title', 'views', 'tags', 'is_published'], filter: own },
            },
          ],
          delete_permissions: [{ role: 'author', permission: { filter: own } }],
        },
        {
          table: table('remark'),
          object_relationships: [{ name: 'article', using: { foreign_key_constraint_on: 'article_id' } }],
          select_permissions: [
            { role: 'author', permission: { columns: '*', filter: { article: visible } } },
          ],
          insert_permissions: [
            {
              role: 'author',
              permission: { columns: ['article_id', 'said'], check: { article: visible } },
            },
          ],
        },
      ],
    },
  ],
})
