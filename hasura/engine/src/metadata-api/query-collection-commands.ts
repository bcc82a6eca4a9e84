import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { nonEmptyText, record } from '../metadata/parse.ts'
import {
  allowlistEntry,
  allowlistScope,
  queryCollection,
  restEndpoint,
} from '../metadata/query-collection.ts'
import type { Metadata, QueryCollection } from '../metadata/types.ts'
import { type Command, edit } from './command.ts'

function requireCollection(metadata: Metadata, name: string): QueryCollection {
  const found = metadata.query_collections?.find((collection) => collection.name === name)
  if (!found) throw new HasuraError('not-exists', `query collection with name "${name}" does not exist`)
  return found
}

function refuseCollection(metadata: Metadata, name: string): void {
  if (metadata.query_collections?.some((collection) => collection.name === name) === true)
    throw new HasuraError('already-exists', `query collection with name "${name}" already exists`)
}

const editCollection = (
  metadata: Metadata,
  name: string,
  change: (collection: QueryCollection) => QueryCollection,
): Metadata => ({
  ...metadata,
  query_collections: metadata.query_collections?.map((each) => (each.name === name ? change(each) : each)),
})

const isAllowed = (metadata: Metadata, name: string): boolean =>
  metadata.allowlist?.some(({ collection }) => collection === name) === true

function requireAllowed(metadata: Metadata, name: string): void {
  if (!isAllowed(metadata, name))
    throw new HasuraError('not-found', `collection "${name}" doesn't exist in the allowlist`)
}

const dropCollection = record({ collection: nonEmptyText, cascade: z.boolean().default(false) })
const collectionQuery = { collection_name: nonEmptyText, query_name: nonEmptyText }
const renameCollection = record({ name: nonEmptyText, new_name: nonEmptyText })

export const queryCollectionCommands: Readonly<Record<string, Command>> = {
  create_query_collection: edit(queryCollection, async (collection, draft) => {
    const metadata = draft.snapshot.storedMetadata
    refuseCollection(metadata, collection.name)
    await draft.change({
      ...metadata,
      query_collections: [...(metadata.query_collections ?? []), collection],
    })
  }),

  rename_query_collection: edit(renameCollection, async ({ name, new_name: newName }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireCollection(metadata, name)
    refuseCollection(metadata, newName)
    const renamed = editCollection(metadata, name, (collection) => ({ ...collection, name: newName }))
    await draft.change({
      ...renamed,
      allowlist: metadata.allowlist?.map((entry) =>
        entry.collection === name ? { ...entry, collection: newName } : entry,
      ),
      rest_endpoints: metadata.rest_endpoints?.map((endpoint) =>
        endpoint.definition.query.collection_name === name
          ? { ...endpoint, definition: { query: { ...endpoint.definition.query, collection_name: newName } } }
          : endpoint,
      ),
    })
  }),

  drop_query_collection: edit(dropCollection, async ({ collection: name, cascade }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireCollection(metadata, name)
    if (isAllowed(metadata, name) && !cascade)
      throw new HasuraError(
        'dependency-error',
        `query collection with name "${name}" is present in the allowlist; cannot proceed to drop. Use "cascade": true to also remove it from there`,
      )
    await draft.change({
      ...metadata,
      query_collections: metadata.query_collections?.filter((collection) => collection.name !== name),
      allowlist: metadata.allowlist?.filter(({ collection }) => collection !== name),
    })
  }),

  add_query_to_collection: edit(
    record({ ...collectionQuery, query: z.string() }),
    async ({ collection_name: collection, query_name: name, query }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      const { queries } = requireCollection(metadata, collection).definition
      if (queries.some((each) => each.name === name))
        throw new HasuraError(
          'already-exists',
          `query with name "${name}" already exists in collection "${collection}"`,
        )
      await draft.change(
        editCollection(metadata, collection, (each) => ({
          ...each,
          definition: { queries: [...queries, { name, query }] },
        })),
      )
    },
  ),

  drop_query_from_collection: edit(
    record(collectionQuery),
    async ({ collection_name: collection, query_name: name }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      const { queries } = requireCollection(metadata, collection).definition
      if (!queries.some((each) => each.name === name))
        throw new HasuraError(
          'not-found',
          `query with name "${name}" not found in collection "${collection}"`,
        )
      await draft.change(
        editCollection(metadata, collection, (each) => ({
          ...each,
          definition: { queries: queries.filter((query) => query.name !== name) },
        })),
      )
    },
  ),

  add_collection_to_allowlist: edit(allowlistEntry, async (entry, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireCollection(metadata, entry.collection)
    if (isAllowed(metadata, entry.collection))
      throw new HasuraError(
        'already-exists',
        `collection "${entry.collection}" already exists in the allowlist`,
      )
    await draft.change({ ...metadata, allowlist: [...(metadata.allowlist ?? []), entry] })
  }),

  drop_collection_from_allowlist: edit(
    record({ collection: nonEmptyText }),
    async ({ collection }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      requireAllowed(metadata, collection)
      await draft.change({
        ...metadata,
        allowlist: metadata.allowlist?.filter((entry) => entry.collection !== collection),
      })
    },
  ),

  update_scope_of_collection_in_allowlist: edit(
    record({ collection: nonEmptyText, scope: allowlistScope }),
    async ({ collection, scope }, draft) => {
      const metadata = draft.snapshot.storedMetadata
      requireAllowed(metadata, collection)
      await draft.change({
        ...metadata,
        allowlist: metadata.allowlist?.map((entry) =>
          entry.collection === collection ? { collection, scope } : entry,
        ),
      })
    },
  ),

  create_rest_endpoint: edit(restEndpoint, async (endpoint, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const endpoints = metadata.rest_endpoints ?? []
    if (endpoints.some(({ name }) => name === endpoint.name))
      throw new HasuraError('already-exists', `endpoint with name "${endpoint.name}" already exists`)
    await draft.change({ ...metadata, rest_endpoints: [...endpoints, endpoint] })
  }),

  drop_rest_endpoint: edit(record({ name: nonEmptyText }), async ({ name }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    if (metadata.rest_endpoints?.some((endpoint) => endpoint.name === name) !== true)
      throw new HasuraError('not-exists', `endpoint with name "${name}" does not exist`)
    await draft.accept({
      ...metadata,
      rest_endpoints: metadata.rest_endpoints.filter((endpoint) => endpoint.name !== name),
    })
  }),
}
