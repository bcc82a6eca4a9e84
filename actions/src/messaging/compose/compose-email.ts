import type { SecretBox } from '@commerce-graph/secret-box'
import { escapeHtml } from '../../escape-html.ts'
import { guestOrderToken, openMailedToken } from '../../identity/index.ts'
import type { ClaimAnswer } from '../../sql/generated/email.ts'
import type { Mail } from '../transports/index.ts'
import { defaultTemplates } from './default-templates.ts'
import type { Occasion } from './facts.ts'
import { placed } from './link.ts'
import { isTokenMail } from './message-kind.ts'
import { render, type Template } from './template.ts'
import { withUnsubscribeLink } from './unsubscribe-link.ts'
import { type Enclosed, variablesOf } from './variables.ts'

export interface ComposeOptions {
  /** The operator's sender address, for which the mail server may send. */
  readonly senderAddress: string
  /** Where a campaign's link leads, with the token behind it: `https://shop.example/unsubscribe`. */
  readonly unsubscribeUrl: string
  /** Opens the sealed tokens of mails. */
  readonly secretBox: SecretBox
}

export interface ComposedEmail {
  readonly mail: Mail
  /** The message as the log shows it, without tokens. */
  readonly logged: Template
  /** Takes the mail's token out of a text. */
  readonly withoutToken: (text: string) => string
}

/** The mail for a delivery: its template, filled in with the facts, and what is enclosed. */
export function composeEmail(email: ClaimAnswer, options: ComposeOptions): ComposedEmail {
  const enclosed = enclosedIn(email, options)
  const { unsubscribeUrl, token, link } = enclosed
  const order = orderLinkOf(email, options.secretBox)
  const secret = token ?? order?.token
  const withoutToken = (text: string) => (secret === undefined ? text : text.replaceAll(secret, hidden))
  const mail = mailOf(email, options.senderAddress, enclosed)
  const content = contentOf(email, {
    unsubscribeUrl,
    token: token && hidden,
    link: link && withoutToken(link),
  })
  return {
    mail: order === null ? mail : { ...mail, ...withOrderLink(mail, order.link) },
    logged: order === null ? content : withOrderLink(content, withoutToken(order.link)),
    withoutToken,
  }
}

/** Leads a guest back to its order. The template has no part in it, because who words it could send the token elsewhere. */
function orderLinkOf(
  { merchantId, orderLink, facts, place }: ClaimAnswer,
  secretBox: SecretBox,
): { readonly link: string; readonly token: string } | null {
  if (orderLink === null) return null
  const { order } = facts as { readonly order: { readonly id: string } }
  const token = guestOrderToken(secretBox, { place, merchantId, orderId: order.id })
  return { link: placed(orderLink, token), token }
}

const withOrderLink = ({ subject, html, text }: Template, link: string): Template => ({
  subject,
  html: `${html}\n<p><a href="${escapeHtml(link)}">Your order</a></p>\n`,
  text: `${text}\n\nYour order: ${link}\n`,
})

const hidden = '•••'

function enclosedIn(email: ClaimAnswer, { unsubscribeUrl, secretBox }: ComposeOptions): Enclosed {
  const { merchantId, token: mailed } = email
  const token = mailed === null ? null : openMailedToken(secretBox, { merchantId, ...mailed })
  return {
    unsubscribeUrl: email.unsubscribeToken === null ? null : `${unsubscribeUrl}/${email.unsubscribeToken}`,
    token,
    link: mailed === null || mailed.url === null || token === null ? null : placed(mailed.url, token),
  }
}

function mailOf(email: ClaimAnswer, senderAddress: string, enclosed: Enclosed): Mail {
  const { id, recipient, recipientName: name, shop } = email
  const link = enclosed.unsubscribeUrl
  return {
    id,
    from: { name: shop.name, address: shop.sender ?? senderAddress },
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
  if (email.test !== null) return email.test
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
