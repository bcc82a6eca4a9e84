import { LRUCache } from 'lru-cache'
import type { GraphQLRequest } from '../graphql-request.ts'
import { metadataRoles } from '../metadata/roles.ts'
import { type Operation, parseOperation } from '../plan/document.ts'
import { RequestError } from '../plan/request-error.ts'
import { adminRole } from '../schema/role-access.ts'
import { type GraphQLApi, type RoleSchema, buildRoleSchema } from '../schema/role-schema.ts'
import type { SourceModel } from '../schema/source-model.ts'
import { buildSourceModel } from '../schema/build-source-model.ts'
import type { NamingConvention } from '../schema/naming.ts'
import type { SchemaFeature } from '../schema/schema-feature.ts'
import { roleRemotes } from '../remote/role-remote.ts'
import type { Session } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import { allowedDocuments, normalForm } from './allowlist.ts'
import type { CompiledOperation } from './compile-operation.ts'
import type { CompiledSubscription } from './compile-subscription.ts'
import { type Signature, createSignature } from './signature.ts'

/** A role's schema, and its cached documents and plans. */
export interface RoleRuntime {
  /** The normal forms of the documents that the role may send, when there is an allow-list. */
  readonly allowed: ReadonlySet<string> | undefined
  readonly roleSchema: RoleSchema
  readonly documents: LRUCache<string, CachedDocument>
  /** Plans by document and signature of the variables. */
  readonly plans: LRUCache<string, CompiledOperation>
  readonly subscriptions: LRUCache<string, CompiledSubscription>
}

export interface CachedDocument {
  /** Identifies the document in the keys of its plans. */
  readonly id: number
  readonly operation: Operation
  readonly signature: Signature
}

/**
 * The most documents, and the most plans, that are cached per role. A parsed document takes some kilobytes, far more
 * than its text (measured: 45,000 small ones took 200 MB), so a limit on characters alone would not suffice.
 */
const maxEntries = 4_000

/** The most characters of cached documents, and of cached signatures and SQL, per role. */
const maxDocumentText = 4_000_000
const maxPlanText = 32_000_000
const maxSubscriptionText = 8_000_000

/** A cache bounded by size. An entry that would take a large part of it is not cached. */
const cacheOf = <Value extends object>(maxSize: number): LRUCache<string, Value> =>
  new LRUCache({ max: maxEntries, maxSize, maxEntrySize: maxSize / 16 })

export interface RoleSchemasOptions {
  readonly inferFunctionPermissions: boolean
  /** The convention of sources whose metadata names none. */
  readonly defaultNamingConvention?: NamingConvention | undefined
  /** Whether roles other than admin may send only documents of the allow-list. */
  readonly enableAllowlist: boolean
  /** Whether a role may use only the parts of remote schemas for which it has permissions. */
  readonly remoteSchemaPermissions?: boolean | undefined
  /** Whether query roots have the fields of Apollo Federation. */
  readonly apolloFederation?: boolean | undefined
  /** Features that hide parts of every role's schema. */
  readonly experimentalFeatures?: readonly SchemaFeature[] | undefined
}

/**
 * The schemas and plans that are derived from one snapshot. They are dropped with it, so no request sees a mixture of
 * two.
 */
export class RoleSchemas {
  readonly #options: RoleSchemasOptions
  readonly #bySnapshot = new WeakMap<Snapshot, SnapshotRuntime>()

  constructor(options: RoleSchemasOptions) {
    this.#options = options
  }

  of(snapshot: Snapshot, { role, backendOnlyPermissions }: Session, api: GraphQLApi): RoleRuntime {
    const runtime = this.#runtimeOf(snapshot)
    // Unknown roles share one entry, because they all have the same empty schema.
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

/** Parses and validates a document for a role's schema, once. Throws RequestError. */
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
