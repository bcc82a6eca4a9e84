import type { MerchantId } from '../action/session.ts'
import type { Database } from '../database.ts'
import {
  CLAIM_SECONDS,
  type Claim,
  type DeliveryStatus,
  deliveryTransitions,
  type RetryPolicy,
  settle,
} from '../delivery/index.ts'
import type { Mail, MailTransport } from '../mail/index.ts'
import {
  defaultTemplates,
  type EmailKind,
  type Occasion,
  render,
  type ShopFacts,
  type Template,
  variablesOf,
} from '../message/index.ts'

export interface EmailSending {
  readonly mailer: MailTransport
  /** Whose address messages come from; null: each merchant's own. */
  readonly senderAddress: string | null
  /** Where a campaign's link leads, with the token behind it: `https://shop.example/unsubscribe`. */
  readonly unsubscribeUrl: string
  readonly retryPolicy: RetryPolicy
}

/** Messages that are claimed at once. All of them are through the transport's connections before the claim runs out. */
const BATCH = 20
/** Messages of one run; the next run goes on. */
const MAX_PER_RUN = 1_000

/** A row of `email.claim`. */
interface ClaimedEmail {
  readonly merchant_id: string
  readonly id: string
  readonly kind: EmailKind
  readonly recipient: string
  readonly recipient_name: string | null
  readonly attempt: number
  readonly facts: unknown
  readonly unsubscribe_token: string
  readonly shop: ShopFacts
  readonly template: Template | null
}

/** Sends what is due. Can run at any time, twice at once, and be killed at any point. Returns how many it sent, or tried to. */
export async function deliverEmails(database: Database, sending: EmailSending): Promise<number> {
  let dealtWith = 0
  let batch: number
  do {
    const claimed = await database<ClaimedEmail[]>`
      SELECT * FROM email.claim(${BATCH}, make_interval(secs => ${CLAIM_SECONDS}), ${sending.retryPolicy.maxAttempts})`
    await Promise.all(claimed.map((email) => deliver(database, sending, email)))
    batch = claimed.length
    dealtWith += batch
  } while (batch === BATCH && dealtWith < MAX_PER_RUN)
  return dealtWith
}

async function deliver(database: Database, sending: EmailSending, email: ClaimedEmail): Promise<void> {
  const { mailer, retryPolicy } = sending
  const claim: Claim = { merchantId: email.merchant_id, id: email.id, attempt: email.attempt }
  const mail = mailOf(email, sending)
  const result = await mailer.send(mail)
  const { subject, html, text } = mail
  await settle(
    database,
    'email.delivery',
    claim,
    result,
    { subject, html, text, transport: mailer.name },
    retryPolicy,
  )
}

function mailOf(email: ClaimedEmail, { senderAddress, unsubscribeUrl }: EmailSending): Mail {
  const { id, kind, recipient, recipient_name: name, shop } = email
  const isCampaign = kind === 'CAMPAIGN'
  const link = `${unsubscribeUrl}/${email.unsubscribe_token}`
  // The facts are of the kind: the functions that wrote them and their types are one pair each.
  const occasion = { kind, facts: email.facts } as Occasion
  const variables = variablesOf(occasion, shop, isCampaign ? link : null)
  return {
    id,
    from: { name: shop.name, address: senderAddress ?? shop.email },
    replyTo: { name: shop.name, address: shop.email },
    to: { name: name ?? '', address: recipient },
    ...render(templateOf(email), variables),
    headers: isCampaign
      ? { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
      : { 'Auto-Submitted': 'auto-generated' },
  }
}

function templateOf({ kind, template }: ClaimedEmail): Template {
  if (kind !== 'CAMPAIGN') return template ?? defaultTemplates[kind]
  if (template === null) throw new Error('A campaign’s message has no campaign.')
  return withUnsubscribeLink(template)
}

/** Every campaign can be unsubscribed from, whatever its author left out. */
function withUnsubscribeLink({ subject, html, text }: Template): Template {
  return {
    subject,
    html: html.includes('unsubscribeUrl')
      ? html
      : `${html}\n<p><a href="{{unsubscribeUrl}}">Unsubscribe from {{shop.name}}</a></p>\n`,
    text: text.includes('unsubscribeUrl') ? text : `${text}\n\nUnsubscribe: {{unsubscribeUrl}}\n`,
  }
}

export type RetryOutcome =
  | { readonly outcome: 'changed'; readonly deliveryId: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: DeliveryStatus }

/** Puts a dead letter back into the queue, as if it had never been tried. */
export async function retryDelivery(
  database: Database,
  merchantId: MerchantId,
  id: string,
): Promise<RetryOutcome> {
  const { from, to } = deliveryTransitions.retry
  const retried = await database`
    UPDATE email.delivery SET status = ${to}, attempts = 0, next_attempt_at = now(), reason = NULL
    WHERE merchant_id = ${merchantId} AND id = ${id} AND status = ANY (${from as string[]})
    RETURNING id`
  if (retried.length > 0) return { outcome: 'changed', deliveryId: id }
  const [delivery] = await database<{ status: DeliveryStatus }[]>`
    SELECT status FROM email.delivery WHERE merchant_id = ${merchantId} AND id = ${id}`
  return delivery === undefined ? { outcome: 'unknown' } : { outcome: 'not_allowed', status: delivery.status }
}
