import { readFile } from 'node:fs/promises'
import type { GraphQLResult } from '../../graphql-request.ts'
import { type Session, createSession } from '../../session/types.ts'
import type { GraphQLExecutorOptions } from '../executor-options.ts'
import { type ServedMetadata, type TestProject, openProject } from './open-project.ts'

export interface Bookshop extends Pick<TestProject, 'pool' | 'close'>, ServedMetadata {
  /** Shared by the tests of the file. */
  readonly executor: ReturnType<ServedMetadata['newExecutor']>
}

/** Creates a real database with the bookshop's rows and metadata, for the tests of one file. */
export async function openBookshop(env: GraphQLExecutorOptions['env'] = {}): Promise<Bookshop> {
  const { pool, serve, close } = await openProject(
    await readFile(new URL('bookshop.sql', import.meta.url), 'utf8'),
  )
  const { snapshot, newExecutor } = await serve(bookshopMetadata)
  return { pool, snapshot, executor: newExecutor({ env }), newExecutor, close }
}

export const admin = createSession('admin', {})

export const merchant = (id: number, granted = '{books:read,books:write}'): Session =>
  createSession('merchant', { 'X-Hasura-Merchant-Id': String(id), 'X-Hasura-Permissions': granted })

export const reader = (id: number): Session => createSession('reader', { 'X-Hasura-Merchant-Id': String(id) })

/** The data of an answer. Fails the test when the answer has errors. */
export function dataOf(result: GraphQLResult): unknown {
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

const bookshopMetadata = {
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
      logical_models: [
        {
          name: 'author_sales',
          fields: [
            { name: 'merchant_id', type: 'integer' },
            { name: 'author', type: 'text' },
            { name: 'worth', type: { scalar: 'numeric', nullable: true } },
          ],
          select_permissions: [
            { role: 'merchant', permission: { columns: ['author', 'worth'], filter: own } },
          ],
        },
      ],
      native_queries: [
        {
          root_field_name: 'sales_by_author',
          arguments: { status: { type: 'text', nullable: true } },
          code: `select author.merchant_id, author.name as author, sum(book.price) as worth
            from author left join book on book.merchant_id = author.merchant_id and book.author_id = author.id
              and book.status = coalesce({{status}}, book.status)
            group by 1, 2`,
          returns: 'author_sales',
        },
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
}
