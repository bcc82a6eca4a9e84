import type { MerchantId } from '@commerce-graph/contract/ids'
import { type JsonValue, onlyOutcome, type Queryable } from '../database.ts'
import {
  type Facts,
  headlineOf,
  type MessageKind,
  type HappeningOccasion,
  type ShopFacts,
} from '../message/index.ts'

/** Something that has happened and that somebody may want to know. */
export interface Happening {
  readonly merchantId: MerchantId
  readonly kind: MessageKind
  /** With the kind and the receiver, what makes it one message however often it is told. */
  readonly subjectKey: string
  /** null when there is nothing to tell (any more). */
  readonly message: Message | null
}

/** What a function `notification.*_message` answers. */
export interface Message {
  /** null: the merchant's own people, or somebody without an account. */
  readonly customerId: string | null
  readonly recipient: string
  readonly recipientName: string | null
  readonly facts: Facts[MessageKind]
}

/** Writes a happening down for every channel that its receiver wants, once. Sending is for whoever looks into the outbox. */
export async function announce(
  sql: Queryable,
  { merchantId, kind, subjectKey, message }: Happening,
): Promise<void> {
  if (message === null) return
  const { customerId, recipient, recipientName, facts } = message
  const shop = onlyOutcome(
    await sql<{ outcome: ShopFacts }[]>`SELECT notification.shop_facts(${merchantId}) AS outcome`,
  )
  const occasion = { kind, facts } as HappeningOccasion
  const { title, body, data } = headlineOf(occasion, shop)
  await sql`
    SELECT notification.announce(
      ${merchantId}, ${kind}, ${subjectKey}, ${customerId}, ${recipient}, ${recipientName}, ${title}, ${body},
      ${sql.json(data)}, ${sql.json(facts as unknown as JsonValue)}
    )`
}
