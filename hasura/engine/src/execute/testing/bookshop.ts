import { readFile } from 'node:fs/promises'
import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { buildSnapshot } from '../../consistency/build-snapshot.ts'
import { readCatalog } from '../../metadata-api/draft.ts'
import type { GraphQLExecutor, GraphQLResult } from '../../graphql-request.ts'
import { type Metadata, metadata as metadataSchema } from '../../metadata/types.ts'
import { type Session, createSession } from '../../session/types.ts'
import type { Snapshot } from '../../snapshot.ts'
import {
  type GraphQLExecutorOptions,
  type SubscriptionCompiler,
  createGraphQLExecutor,
} from '../graphql-executor.ts'

export interface Bookshop {
  readonly pool: pg.Pool
  readonly snapshot: Snapshot
  readonly executor: GraphQLExecutor & SubscriptionCompiler
  /** Another executor over the same database, with nothing cached. */
  readonly newExecutor: (options?: Partial<GraphQLExecutorOptions>) => Bookshop['executor']
  readonly close: () => Promise<void>
}

/** A real database with the bookshop's rows and metadata, for the tests of one file. */
export const openBookshop = async (env: Readonly<Record<string, string>> = {}): Promise<Bookshop> => {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  // Dropping the database may end a connection before the pool has closed it.
  pool.on('error', () => undefined)
  await pool.query(await readFile(new URL('bookshop.sql', import.meta.url), 'utf8'))
  const snapshot = buildSnapshot(bookshopMetadata, await readCatalog(pool, bookshopMetadata), 1)
  if (snapshot.inconsistencies.length > 0) throw new Error(JSON.stringify(snapshot.inconsistencies))
  const newExecutor: Bookshop['newExecutor'] = (options = {}) =>
    createGraphQLExecutor(() => snapshot, pool, {
      stringifyNumericTypes: false,
      inferFunctionPermissions: true,
      enableAllowlist: false,
      env,
      ...options,
    })
  const close = async (): Promise<void> => {
    await pool.end()
    await database.drop()
  }
  return { pool, snapshot, executor: newExecutor(), newExecutor, close }
}

export const admin = createSession('admin', {})

export const merchant = (id: number, granted = '{books:read,books:write}'): Session =>
  createSession('merchant', { 'X-Hasura-Merchant-Id': String(id), 'X-Hasura-Permissions': granted })

export const reader = (id: number): Session => createSession('reader', { 'X-Hasura-Merchant-Id': String(id) })

/** The data of an answer; fails the test if there were errors instead. */
export const dataOf = (result: GraphQLResult): unknown => {
  if (result.kind === 'errors') throw new Error(JSON.stringify(result.errors))
  return JSON.parse(result.json) as unknown
}

const own = { merchant_id: { _eq: 'X-Hasura-Merchant-Id' } }

const may = (name: string) => ({
  _and: [
    own,
    { _exists: { _table: 'granted', _where: { name: { _eq: name, _in: 'X-Hasura-Permissions' } } } },
  ],
})

const key = (table: string) => ({
  foreign_key_constraint_on: { table, columns: ['merchant_id', table === 'book' ? 'author_id' : 'book_id'] },
})

const bookColumns = ['id', 'author_id', 'title', 'price', 'status', 'attributes', 'tags', 'published_at']

const bookTable = {
  table: 'book',
  configuration: { column_config: { published_at: { custom_name: 'publishedAt' } } },
  object_relationships: [
    { name: 'author', using: { foreign_key_constraint_on: ['merchant_id', 'author_id'] } },
  ],
  array_relationships: [{ name: 'reviews', using: key('review') }],
  computed_fields: [
    { name: 'label', definition: { function: 'book_label' } },
    { name: 'isMine', definition: { function: 'book_is_mine', session_argument: 'hasura_session' } },
    { name: 'goodReviews', definition: { function: 'good_reviews' } },
  ],
  insert_permissions: [
    {
      role: 'merchant',
      permission: {
        check: { _and: [may('books:write'), { price: { _lt: 1_000_000 } }] },
        set: { merchant_id: 'X-Hasura-Merchant-Id' },
        columns: bookColumns,
      },
    },
  ],
  select_permissions: [
    {
      role: 'merchant',
      permission: {
        columns: '*',
        computed_fields: ['label', 'isMine'],
        filter: may('books:read'),
        allow_aggregations: true,
      },
    },
    {
      role: 'reader',
      permission: {
        columns: ['id', 'title', 'price'],
        filter: { ...own, status: { _eq: 'ACTIVE' } },
        limit: 2,
        allow_aggregations: true,
      },
    },
  ],
  update_permissions: [
    {
      role: 'merchant',
      permission: {
        columns: ['title', 'price', 'status', 'attributes', 'tags'],
        filter: may('books:write'),
        check: { price: { _lt: 1_000_000 } },
      },
    },
  ],
  delete_permissions: [{ role: 'merchant', permission: { filter: may('books:write') } }],
}

const authorTable = {
  table: 'author',
  array_relationships: [{ name: 'books', using: key('book') }],
  insert_permissions: [
    {
      role: 'merchant',
      permission: { check: own, set: { merchant_id: 'X-Hasura-Merchant-Id' }, columns: ['name'] },
    },
  ],
  select_permissions: [
    { role: 'merchant', permission: { columns: '*', filter: own, allow_aggregations: true } },
  ],
  update_permissions: [{ role: 'merchant', permission: { columns: ['name'], filter: own } }],
}

const reviewTable = {
  table: 'review',
  object_relationships: [{ name: 'book', using: { foreign_key_constraint_on: ['merchant_id', 'book_id'] } }],
  insert_permissions: [
    {
      role: 'merchant',
      permission: {
        check: own,
        set: { merchant_id: 'X-Hasura-Merchant-Id' },
        columns: ['book_id', 'rating', 'reader'],
      },
    },
  ],
  select_permissions: [
    {
      role: 'merchant',
      permission: { columns: ['id', 'book_id', 'rating', 'reader'], filter: own, allow_aggregations: true },
    },
  ],
}

const bookshopMetadata: Metadata = metadataSchema.parse({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        { table: 'book_status', is_enum: true },
        { table: 'granted' },
        authorTable,
        bookTable,
        reviewTable,
      ],
      functions: [
        { function: 'search_books' },
        { function: 'slow_books', configuration: { exposed_as: 'query' } },
        { function: 'reprice' },
      ],
    },
  ],
  custom_types: {
    input_objects: [
      {
        name: 'OrderInput',
        fields: [
          { name: 'bookId', type: 'Int!' },
          { name: 'note', type: 'String' },
        ],
      },
    ],
    objects: [
      {
        name: 'Receipt',
        fields: [
          { name: 'merchantId', type: 'Int!' },
          { name: 'bookId', type: 'Int' },
          { name: 'total', type: 'bigint!' },
        ],
        relationships: [
          {
            name: 'book',
            type: 'object',
            remote_table: 'book',
            field_mapping: { merchantId: 'merchant_id', bookId: 'id' },
          },
        ],
      },
    ],
  },
  actions: [
    {
      name: 'placeOrders',
      definition: {
        handler: '{{HANDLER}}/orders',
        output_type: '[Receipt!]!',
        arguments: [{ name: 'orders', type: '[OrderInput!]!' }],
        kind: 'synchronous',
        forward_client_headers: true,
        headers: [{ name: 'x-secret', value_from_env: 'HANDLER_SECRET' }],
        timeout: 2,
      },
      permissions: [{ role: 'merchant' }],
    },
  ],
})
