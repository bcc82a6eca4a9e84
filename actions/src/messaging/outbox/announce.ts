import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../../database.ts'
import { headlineOf, type MessageKind, type HappeningOccasion } from '../compose/index.ts'
import * as notification from '../../sql/generated/notification.ts'

/** An event that a receiver may want to hear of. */
export interface Happening {
  readonly merchantId: MerchantId
  readonly kind: MessageKind
  /** With the kind and the receiver, what makes it one message however often it is announced. */
  readonly subjectKey: string
  /** null when there is nothing to tell (any more). */
  readonly message: notification.Message | null
}

/** Writes a happening down for every channel that its receiver wants, once. A worker sends it from the outbox. */
export async function announce(
  sql: Queryable,
  { merchantId, kind, subjectKey, message }: Happening,
): Promise<void> {
  if (message === null) return
  const { customerId, recipient, recipientName, facts } = message
  const shop = await notification.shopFacts(sql, { merchantId })
  const occasion = { kind, facts } as HappeningOccasion
  const { title, body, data } = headlineOf(occasion, shop)
  await notification.announce(sql, {
    merchantId,
    kind,
    subjectKey,
    customerId,
    recipient,
    recipientName,
    title,
    body,
    data,
    facts,
  })
}
