import type { SecretBox } from '@commerce-graph/secret-box'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import {
  claimSeconds,
  type DeliveryStatus,
  deliveryTransitions,
  keepingClaims,
  recorded,
  type RetryPolicy,
  type SendOutcome,
  settle,
} from '../delivery/index.ts'
import { forgetMailedToken, openMailedToken } from '../identity/index.ts'
import type { Mail, MailTransport } from '../mail/index.ts'
import {
  defaultTemplates,
  type Enclosed,
  isTokenMail,
  type Occasion,
  render,
  type Template,
  variablesOf,
} from '../message/index.ts'
import { claim, type ClaimAnswer } from '../sql/generated/email.ts'
import { placed } from './links.ts'

export interface EmailSending {
  readonly mailer: MailTransport
  /** Whose address messages come from: the operator's, which the mail server may send for. */
  readonly senderAddress: string
  /** Where a campaign's link leads, with the token behind it: `https://shop.example/unsubscribe`. */
  readonly unsubscribeUrl: string
  /** What opens the tokens that are to be mailed. */
  readonly secretBox: SecretBox
  readonly retryPolicy: RetryPolicy
}

/** Messages that are claimed at once. */
const batch = 20
/** Messages of one run; the next run goes on. */
const maxPerRun = 1_000

/** Sends what is due. Can run at any time, twice at once, and be killed at any point. Returns how many it sent, or tried to. */
export async function deliverEmails(database: Database, sending: EmailSending): Promise<number> {
  const sendBatch = async () => {
    const claimed = await claim(database, {
      limit: batch,
      lease: claimSeconds,
      maxAttempts: sending.retryPolicy.maxAttempts,
    })
    await keepingClaims(database, 'email.delivery', claimed, () =>
      Promise.all(claimed.map((email) => deliver(database, sending, email))),
    )
    return claimed.length
  }
  return inBatches(batch, sendBatch, maxPerRun)
}

async function deliver(database: Database, sending: EmailSending, email: ClaimAnswer): Promise<void> {
  const { mailer, retryPolicy } = sending
  const { merchantId } = email
  const enclosed = enclosedIn(email, sending)
  const result = await mailer.send(mailOf(email, sending, enclosed))
  // The log shows what was sent, but not what lets its reader in.
  const { subject, html, text } = contentOf(email, withoutToken(enclosed))
  const columns = { subject, html, text, transport: mailer.name }
  await recorded(() =>
    database.begin(async (sql) => {
      await settle(sql, 'email.delivery', email, hiding(enclosed.token, result), columns, retryPolicy)
      const isOver = result.outcome === 'accepted' || result.outcome === 'discarded'
      if (email.token !== null && isOver) {
        await forgetMailedToken(sql, { merchantId, id: email.subjectKey })
      }
    }),
  )
}

function enclosedIn(email: ClaimAnswer, { unsubscribeUrl, secretBox }: EmailSending): Enclosed {
  const { merchantId, kind, token: mailed } = email
  const token = mailed === null ? null : openMailedToken(secretBox, { merchantId, ...mailed })
  return {
    unsubscribeUrl: kind === 'CAMPAIGN' ? `${unsubscribeUrl}/${email.unsubscribeToken}` : null,
    token,
    link: mailed === null || mailed.url === null || token === null ? null : placed(mailed.url, token),
  }
}

const hidden = '•••'

const withoutToken = ({ unsubscribeUrl, token, link }: Enclosed): Enclosed => ({
  unsubscribeUrl,
  token: token && hidden,
  link: token && link && link.replaceAll(token, hidden),
})

/** A server that refuses a message may say what it found in it. */
const hiding = (token: string | null, result: SendOutcome): SendOutcome =>
  token === null || result.outcome === 'accepted'
    ? result
    : { ...result, reason: result.reason.replaceAll(token, hidden) }

function mailOf(email: ClaimAnswer, { senderAddress }: EmailSending, enclosed: Enclosed): Mail {
  const { id, recipient, recipientName: name, shop } = email
  const link = enclosed.unsubscribeUrl
  return {
    id,
    from: { name: shop.name, address: senderAddress },
    replyTo: shop.emailIsVerified ? { name: shop.name, address: shop.email } : null,
    to: { name: name ?? '', address: recipient },
    ...contentOf(email, enclosed),
    headers:
      link === null
        ? { 'Auto-Submitted': 'auto-generated' }
        : { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}

function contentOf(email: ClaimAnswer, enclosed: Enclosed): Template {
  // The facts are of the kind: the functions that wrote them and their types are one pair each.
  const occasion = { kind: email.kind, facts: email.facts } as Occasion
  return render(templateOf(email), variablesOf(occasion, email.shop, enclosed))
}

function templateOf({ kind, template, token }: ClaimAnswer): Template {
  if (kind !== 'CAMPAIGN') {
    const own = template ?? defaultTemplates[kind]
    return isTokenMail(kind) && token?.url == null ? withToken(own) : own
  }
  if (template === null) throw new Error('A campaign’s message has no campaign.')
  return withUnsubscribeLink(template)
}

/** Without a page to lead to, a mail shows the token, whatever its author relied on. */
function withToken({ subject, html, text }: Template): Template {
  const shows = (source: string) => /\{\{\s*token\s*\}\}/.test(source)
  return {
    subject,
    html: shows(html) ? html : `${html}\n<p>{{token}}</p>\n`,
    text: shows(text) ? text : `${text}\n\n{{token}}\n`,
  }
}

/** Every campaign can be unsubscribed from, whatever its author left out. */
const withUnsubscribeLink = ({ subject, html, text }: Template): Template => ({
  subject,
  html: html.includes('unsubscribeUrl')
    ? html
    : `${html}\n<p><a href="{{unsubscribeUrl}}">Unsubscribe from {{shop.name}}</a></p>\n`,
  text: text.includes('unsubscribeUrl') ? text : `${text}\n\nUnsubscribe: {{unsubscribeUrl}}\n`,
})

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
