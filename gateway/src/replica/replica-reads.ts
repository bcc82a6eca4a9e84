import type { Principal } from '@commerce-graph/auth-webhook'
import { type Domain, domainSdl } from '@commerce-graph/contract'
import { Kind, OperationTypeNode, parse } from 'graphql'
import type { CheckedOperation } from '../document/documents.ts'
import type { RecentWrites } from './recent-writes.ts'

/**
 * Which requests may be answered by a standby of the database, whose data may be a moment old: a storefront's catalog and search for
 * its visitors, and reports for the merchant. Who has written within that moment reads from the primary, and so sees the write.
 */
export class ReplicaReads {
  readonly #writes: Pick<RecentWrites, 'note' | 'has'>

  constructor(writes: Pick<RecentWrites, 'note' | 'has'>) {
    this.#writes = writes
  }

  async allows(principal: Principal, { kind, rootFields }: CheckedOperation): Promise<boolean> {
    if (kind !== OperationTypeNode.QUERY || rootFields.length === 0) return false
    const tolerant = tolerantFields(principal)
    if (!rootFields.every(({ name }) => tolerant.has(name))) return false
    const holder = holderOf(principal)
    return holder === null || !(await this.#writes.has(holder))
  }

  /** To be called between the commit of a caller's write and its answer. */
  async wrote(principal: Principal): Promise<void> {
    const holder = holderOf(principal)
    if (holder !== null) await this.#writes.note(holder)
  }
}

function tolerantFields(principal: Principal): ReadonlySet<string> {
  switch (principal.kind) {
    case 'guest':
    case 'customer':
      return shopWindow
    case 'key':
    case 'user':
      return reports
    case 'operator':
      return none
    default:
      return principal satisfies never
  }
}

/** Whose writes a caller must see: its own. A guest writes nothing that the shop shows. */
function holderOf(principal: Principal): string | null {
  switch (principal.kind) {
    case 'guest':
    case 'operator':
      return null
    case 'customer':
      return principal.customerId
    case 'key':
      return principal.keyId
    case 'user':
      return principal.userId
    default:
      return principal satisfies never
  }
}

/** The queries that a domain's schema file adds. */
const queriesOf = (...domains: readonly Domain[]): ReadonlySet<string> =>
  new Set(
    domains
      .flatMap((domain) => parse(domainSdl(domain), { noLocation: true }).definitions)
      .flatMap((definition) =>
        definition.kind === Kind.OBJECT_TYPE_EXTENSION && definition.name.value === 'Query'
          ? (definition.fields ?? []).map(({ name }) => name.value)
          : [],
      ),
  )

const shopWindow = queriesOf('catalog', 'search')
const reports = queriesOf('analytics')
const none: ReadonlySet<string> = new Set()
