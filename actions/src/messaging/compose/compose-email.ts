import type { SecretBox } from '@commerce-graph/secret-box'
import { openMailedToken } from '../../identity/index.ts'
import type { ClaimAnswer } from '../../sql/generated/email.ts'
import type { Mail } from '../transports/index.ts'
import { defaultTemplates } from './default-templates.ts'
import type { Occasion } from './facts.ts'
import { placed } from './link.ts'
import { isTokenMail } from './message-kind.ts'
import { render, type Template } from './template.ts'
import { type Enclosed, variablesOf } from './variables.ts'

export interface ComposeOptions {
  /** Whose address messages come from: the operator's, which the mail server may send for. */
  readonly senderAddress: string
  /** Where a campaign's link leads, with the token behind it: `https://shop.example/unsubscribe`. */
  readonly unsubscribeUrl: string
  /** What opens the tokens that are to be mailed. */
  readonly secretBox: SecretBox
}

export interface ComposedEmail {
  readonly mail: Mail
  /** What the log shows of it: what was sent, but not what lets its reader in. */
  readonly logged: Template
  /** Takes the mail's token out of a text. */
  readonly withoutToken: (text: string) => string
}

/** The mail for a delivery: its template, filled in with the facts, and what is enclosed. */
export function composeEmail(email: ClaimAnswer, options: ComposeOptions): ComposedEmail {
  const enclosed = enclosedIn(email, options)
  const { unsubscribeUrl, token, link } = enclosed
  const withoutToken = (text: string) => (token === null ? text : text.replaceAll(token, hidden))
  return {
    mail: mailOf(email, options.senderAddress, enclosed),
    logged: contentOf(email, {
      unsubscribeUrl,
      token: token && hidden,
      link: link && withoutToken(link),
    }),
    withoutToken,
  }
}

const hidden = '•••'

function enclosedIn(email: ClaimAnswer, { unsubscribeUrl, secretBox }: ComposeOptions): Enclosed {
  const { merchantId, kind, token: mailed } = email
  const token = mailed === null ? null : openMailedToken(secretBox, { merchantId, ...mailed })
  return {
    unsubscribeUrl: kind === 'CAMPAIGN' ? `${unsubscribeUrl}/${email.unsubscribeToken}` : null,
    token,
    link: mailed === null || mailed.url === null || token === null ? null : placed(mailed.url, token),
  }
}

function mailOf(email: ClaimAnswer, senderAddress: string, enclosed: Enclosed): Mail {
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
