import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Logger } from 'pino'
import type { Database } from '../database.ts'
import * as events from '../sql/generated/events.ts'
import { payloadDocument } from './payload-document.ts'
import type { Payloads, ReadRecords } from './payloads.ts'
import type { Slots } from './slots.ts'

export interface Rendering {
  readonly database: Database
  readonly payloads: Payloads
  /** One for each endpoint that is rendered for at the same time. */
  readonly slots: Slots
  readonly logger: Logger
}

type Claimed = events.ClaimRenderingsAnswer

/** What is told of an event, without the selection. */
interface ToldEvent {
  readonly id: string
  readonly topic: string
  readonly position: string
  readonly recordType: string
  readonly recordId: string
  readonly version: string
  readonly occurredAt: string
  readonly record: unknown
  readonly changes: unknown
}

/** Records of one endpoint that are read in one request. */
export const renderingBatch = 10
/** Seconds. A process that ends has its renderings taken over after them. */
const lease = 12
/** Seconds until the next try, at most. */
const longestDelay = 60
/** Tries over about three hours. After the last one, a webhook says that its query could not be answered. */
const mostAttempts = 180

/** Begins to render deliveries that wait for it, as far as there are free slots. Returns how many those are. */
export async function renderPayloads({ database, payloads, slots, logger }: Rendering): Promise<number> {
  if (slots.free <= 0) return 0
  const claimed = await events.claimRenderings(database, { limit: slots.free, batch: renderingBatch, lease })
  for (const ofEndpoint of Map.groupBy(claimed, (one) => one.endpointId).values())
    slots.run(async () => {
      try {
        await render(database, payloads, ofEndpoint)
      } catch (error) {
        // The lease runs out, and they are rendered again.
        logger.warn({ error }, 'payloads of webhooks could not be rendered')
      }
    })
  return claimed.length
}

async function render(database: Database, payloads: Payloads, claimed: readonly Claimed[]): Promise<void> {
  const [first] = claimed
  if (first === undefined) return
  const rendered = await readRecords(payloads, first, claimed)
  for (const [index, { merchantId, id, attempt, permissionsVersion, event }] of claimed.entries()) {
    const told = event as ToldEvent & Claimed['event']
    const isReady = rendered.kind !== 'unreachable' || attempt >= mostAttempts
    await events.keepRendering(forMerchant(database, merchantId), {
      merchantId,
      id,
      body: isReady ? JSON.stringify(envelope(told, partOf(rendered, index))) : null,
      permissionsVersion,
      delay: isReady ? 0 : Math.min(2 ** Math.min(attempt, 10) / 2, longestDelay),
    })
  }
}

async function readRecords(
  payloads: Payloads,
  { merchantId, endpointId, permissions, query }: Claimed,
  claimed: readonly Claimed[],
): Promise<ReadRecords | { readonly kind: 'none' }> {
  if (query === null) return { kind: 'none' }
  const references = claimed.map(({ event }) => {
    const { recordType: type, recordId: id } = event as ToldEvent & Claimed['event']
    return { type, id }
  })
  const document = payloadDocument(query, [...new Set(references.map(({ type }) => type))])
  if (document.kind === 'invalid') return { kind: 'refused', errors: [document.message] }
  return payloads.read({ merchantId, endpointId, permissions, isDraft: false }, document.text, references)
}

interface Part {
  readonly data?: unknown
  readonly errors?: readonly string[]
}

function partOf(rendered: ReadRecords | { readonly kind: 'none' }, index: number): Part {
  switch (rendered.kind) {
    case 'none':
      return {}
    case 'unreachable':
      return { data: null, errors: ['The query could not be answered'] }
    case 'refused':
      return { data: null, errors: rendered.errors }
    case 'read': {
      const { data, errors } = rendered.records[index] ?? { data: null, errors: [] }
      return { data, ...(errors.length > 0 && { errors }) }
    }
    default:
      return rendered satisfies never
  }
}

/** The body of a webhook. `type`, `timestamp` and `data` are those of Standard Webhooks. */
const envelope = (event: ToldEvent, part: Part): Readonly<Record<string, unknown>> => ({
  type: event.topic,
  timestamp: event.occurredAt,
  id: event.id,
  position: event.position,
  version: event.version,
  occurredAt: event.occurredAt,
  recordType: event.recordType,
  recordId: event.recordId,
  record: event.record,
  changes: event.changes,
  ...part,
})
