import type { SecretBox } from '@commerce-graph/secret-box'
import type { Database } from '../database.ts'
import { escapeHtml } from '../escape-html.ts'
import { inBatches } from '../in-batches.ts'
import { placed } from '../messaging/compose/index.ts'
import type { Mail, MailTransport } from '../messaging/transports/index.ts'
import * as operator from '../sql/generated/operator.ts'
import { tokenContext } from './sign-up.ts'

export interface SignUpMailing {
  readonly secretBox: SecretBox
  readonly mailer: MailTransport
  readonly senderAddress: string
  /** The operator's page that a mail leads to, with `{token}` in it; null: no shop can be asked for. */
  readonly signUpUrl: string | null
}

const atOnce = 10
const atMost = 500
/** Seconds, longer than a mail server's time limits. Each further attempt waits twice as long. */
const lease = 120
const maxAttempts = 6

/** Mails the tokens of requests for a shop. Can run twice at once, and be killed at any point. Returns how many it tried. */
export async function mailSignUps(database: Database, mailing: SignUpMailing): Promise<number> {
  const { signUpUrl, mailer, secretBox, senderAddress } = mailing
  if (signUpUrl === null) return 0
  return inBatches(
    atOnce,
    async () => {
      const claimed = await operator.claimSignUpMails(database, { limit: atOnce, lease, maxAttempts })
      await Promise.all(
        claimed.map(async ({ id, email, hash, token: sealed }) => {
          const token = secretBox.open(sealed, tokenContext(hash))
          const result = await mailer.send(
            mailOf({ id, email, link: placed(signUpUrl, token) }, senderAddress),
          )
          if (result.outcome !== 'unavailable') await operator.forgetSignUpToken(database, { id })
        }),
      )
      return claimed.length
    },
    atMost,
  )
}

/** It quotes nothing of the request: anyone could have a stranger mailed a text of theirs. */
const mailOf = (
  { id, email, link }: { readonly id: string; readonly email: string; readonly link: string },
  senderAddress: string,
): Mail => ({
  id,
  from: { name: '', address: senderAddress },
  replyTo: null,
  to: { name: '', address: email },
  subject: 'Confirm your e-mail address to open your shop',
  html: `<!doctype html>\n<html lang="en">\n<body>\n<p><a href="${escapeHtml(link)}">Open your shop</a></p>\n<p>${goodFor}</p>\n</body>\n</html>\n`,
  text: `Open your shop: ${link}\n\n${goodFor}\n`,
  headers: { 'Auto-Submitted': 'auto-generated' },
})

const goodFor = 'The link is good once, for a day. If you have not asked for a shop, there is nothing to do.'
