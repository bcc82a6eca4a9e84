import { analytics } from '../domains/analytics/projection.ts'
import { audit } from '../domains/audit/projection.ts'
import { booking } from '../domains/booking/projection.ts'
import { bulk } from '../domains/bulk/projection.ts'
import { cart } from '../domains/cart/projection.ts'
import { catalog } from '../domains/catalog/projection.ts'
import { crm } from '../domains/crm/projection.ts'
import { files } from '../domains/files/projection.ts'
import { email } from '../domains/email/projection.ts'
import { events } from '../domains/events/projection.ts'
import { identity } from '../domains/identity/projection.ts'
import { inventory } from '../domains/inventory/projection.ts'
import { merchant } from '../domains/merchant/projection.ts'
import { metadata } from '../domains/metadata/projection.ts'
import { notifications } from '../domains/notification/projection.ts'
import { operator } from '../domains/operator/projection.ts'
import { ordering } from '../domains/ordering/projection.ts'
import { payment } from '../domains/payment/projection.ts'
import { promotions } from '../domains/promotion/projection.ts'
import { search } from '../domains/search/projection.ts'
import type { DomainProjection, RootProjection, SubscriptionProjection, TypeProjection } from './types.ts'

/** Where everything of the contract is in Hasura, over all domains. */
export interface Projections {
  /** By the name of the field of Query. */
  readonly queries: ReadonlyMap<string, RootProjection>
  /** By the name of the field of the subscription root. */
  readonly subscriptions: ReadonlyMap<string, SubscriptionProjection>
  /** By the projection's name. */
  readonly types: ReadonlyMap<string, TypeProjection>
}

/** The fields that belong to no domain: those of federation, and records by their ids alone. */
const federation: DomainProjection = {
  queries: {
    _entities: { kind: 'entities' },
    node: { kind: 'nodes' },
    nodes: { kind: 'nodes' },
    _service: {
      kind: 'contract',
      value: ({ federation: { sdl, subgraphs } }) => ({
        sdl,
        subgraphs: subgraphs.map(({ name, sdl }) => ({ name, sdl })),
      }),
    },
  },
}

const domains = [
  catalog,
  ordering,
  cart,
  inventory,
  identity,
  crm,
  booking,
  payment,
  promotions,
  analytics,
  email,
  notifications,
  search,
  files,
  merchant,
  audit,
  bulk,
  events,
  metadata,
  operator,
  federation,
]

/** Puts the domains together. Throws where two say something about the same name, which is a bug of ours. */
export function combineProjections(parts: readonly DomainProjection[]): Projections {
  const queries = new Map<string, RootProjection>()
  const subscriptions = new Map<string, SubscriptionProjection>()
  const types = new Map<string, TypeProjection>()
  for (const part of parts) {
    for (const [name, query] of Object.entries(part.queries ?? {})) addOnce(queries, name, query)
    for (const [name, subscription] of Object.entries(part.subscriptions ?? {}))
      addOnce(subscriptions, name, subscription)
    for (const [name, type] of Object.entries(part.types ?? {})) addOnce(types, name, type)
  }
  for (const [name, fields] of parts.flatMap((part) => Object.entries(part.extensions ?? {}))) {
    const type = types.get(name)
    if (!type) throw new Error(`there is no projection ${name} to extend`)
    const taken = Object.keys(fields).find((field) => type.fields?.[field])
    if (taken !== undefined) throw new Error(`${name}.${taken} is projected twice`)
    types.set(name, { ...type, fields: { ...type.fields, ...fields } })
  }
  return { queries, subscriptions, types }
}

function addOnce<Value>(map: Map<string, Value>, name: string, value: Value): void {
  if (map.has(name)) throw new Error(`${name} is projected twice`)
  map.set(name, value)
}

/** The contract's projections. */
export const projections: Projections = combineProjections(domains)
