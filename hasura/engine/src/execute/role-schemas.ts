import { LRUCache } from 'lru-cache'
import type { GraphQLRequest } from '../graphql-request.ts'
import { metadataRoles } from '../metadata/roles.ts'
import { type Operation, parseOperation } from '../plan/document.ts'
import { RequestError } from '../plan/request-error.ts'
import { adminRole } from '../schema/role-access.ts'
import { type GraphQLApi, type RoleSchema, buildRoleSchema } from '../schema/role-schema.ts'
import { type SourceModel, buildSourceModel } from '../schema/source-model.ts'
import type { NamingConvention } from '../schema/naming.ts'
import type { SchemaFeature } from '../schema/schema-feature.ts'
import { roleRemotes } from '../remote/role-remote.ts'
import type { Session } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { allowedDocuments, normalForm } from './allowlist.ts'
import type { CompiledOperation } from './compile-operation.ts'
import type { CompiledSubscription } from './compile-subscription.ts'
import { type Signature, createSignature } from './signature.ts'

/** What a role's requests are answered with: its schema, and the documents that it has sent before. */
export interface RoleRuntime {
  /** What the role may send, where there is an allow-list. */
  readonly allowed: ReadonlySet<string> | undefined
  readonly roleSchema: RoleSchema
  readonly documents: LRUCache<string, CachedDocument>
  /** By document and by signature of the variables. */
  readonly plans: LRUCache<string, CompiledOperation>
  readonly subscriptions: LRUCache<string, CompiledSubscription>
}

export interface CachedDocument {
  /** Stands for the document in the keys of its plans. */
  readonly id: number
  readonly operation: Operation
  readonly signature: Signature
}

/**
 * How many documents, and how many plans, are kept per role. A parsed document takes some kilobytes, far more than its text
 * (measured: 45,000 small ones took 200 MB), so a bound on characters alone would be none.
 */
const maxEntries = 4_000

/** Characters of documents, and of signatures and SQL, that are kept per role. */
const maxDocumentText = 4_000_000
const maxPlanText = 32_000_000
const maxSubscriptionText = 8_000_000

/** Forgets what was used least recently, by size; what would take a large part of it alone is not kept at all. */
const cacheOf = <Value extends object>(maxSize: number): LRUCache<string, Value> =>
  new LRUCache({ max: maxEntries, maxSize, maxEntrySize: maxSize / 16 })

export interface RoleSchemasOptions {
  readonly inferFunctionPermissions: boolean
  /** Of a source whose metadata says nothing of it. */
  readonly defaultNamingConvention?: NamingConvention | undefined
  /** Whether other roles than admin may send only what is in the allow-list. */
  readonly enableAllowlist: boolean
  /** Whether a role may use of remote schemas only what it has permissions for. */
  readonly remoteSchemaPermissions?: boolean | undefined
  /** Whether query roots have the fields of Apollo Federation. */
  readonly apolloFederation?: boolean | undefined
  /** What no role's schema has. */
  readonly experimentalFeatures?: readonly SchemaFeature[] | undefined
}

/** Everything derived from a snapshot lives and dies with it, so no request can see a mixture of two. */
export class RoleSchemas {
  readonly #options: RoleSchemasOptions
  readonly #bySnapshot = new WeakMap<Snapshot, SnapshotRuntime>()

  constructor(options: RoleSchemasOptions) {
    this.#options = options
  }

  of(snapshot: Snapshot, { role, backendOnlyPermissions }: Session, api: GraphQLApi): RoleRuntime {
    const runtime = this.#runtimeOf(snapshot)
    // All roles that the metadata doesn't know see the same empty schema, and take the room of one.
    const known = runtime.roles.has(role) ? role : ''
    const key = `${api}:${backendOnlyPermissions ? 'backend' : 'client'}:${known}`
    const found = runtime.byRole.get(key)
    if (found !== undefined) return found
    const options = {
      api,
      role: known,
      backendOnly: backendOnlyPermissions,
      inferFunctionPermissions: this.#options.inferFunctionPermissions,
      federation: this.#options.apolloFederation ?? false,
      features: this.#options.experimentalFeatures ?? [],
    }
    const remotes = roleRemotes(snapshot.metadata, snapshot.introspections, known, {
      permissionsEnabled: this.#options.remoteSchemaPermissions ?? false,
    })
    const roleSchema = buildRoleSchema(snapshot.metadata, runtime.source, options, remotes)
    const isBound = this.#options.enableAllowlist && known !== adminRole
    const made: RoleRuntime = {
      allowed: isBound ? allowedDocuments(snapshot.metadata, known) : undefined,
      roleSchema,
      documents: cacheOf(maxDocumentText),
      plans: cacheOf(maxPlanText),
      subscriptions: cacheOf(maxSubscriptionText),
    }
    runtime.byRole.set(key, made)
    return made
  }

  #runtimeOf(snapshot: Snapshot): SnapshotRuntime {
    const found = this.#bySnapshot.get(snapshot)
    if (found !== undefined) return found
    const made = createRuntime(snapshot, this.#options)
    this.#bySnapshot.set(snapshot, made)
    return made
  }
}

interface SnapshotRuntime {
  readonly source: SourceModel
  readonly roles: ReadonlySet<string>
  readonly byRole: Map<string, RoleRuntime>
}

const createRuntime = (
  { metadata, catalog }: Snapshot,
  { defaultNamingConvention }: RoleSchemasOptions,
): SnapshotRuntime => ({
  source: buildSourceModel(metadata, catalog, defaultNamingConvention),
  roles: metadataRoles(metadata),
  byRole: new Map(),
})

/** A document as the role's schema knows it, parsed once. Throws RequestError. */
export function cachedDocument(
  { query, operationName }: GraphQLRequest,
  { allowed, documents, roleSchema }: RoleRuntime,
): CachedDocument {
  const key = operationName === undefined ? query : `${operationName}\n${query}`
  const known = documents.get(key)
  if (known !== undefined) return known
  const operation = parseOperation(query, operationName)
  if (allowed !== undefined && !allowed.has(normalForm(operation.document)))
    throw new RequestError('query is not allowed', '$')
  const document: CachedDocument = {
    operation,
    id: nextDocumentId(),
    signature: createSignature(operation, roleSchema.schema),
  }
  documents.set(key, document, { size: key.length })
  return document
}

const nextDocumentId = (() => {
  let last = 0
  return (): number => {
    last += 1
    return last
  }
})()
