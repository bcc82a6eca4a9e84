import { createTransport, type SendMailOptions } from 'nodemailer'
import { type DkimKey, domainOf } from '../sender-domain.ts'
import type { SendOutcome } from './send-outcome.ts'
import { type Mail, type MailTransport, messageOf } from './mail-transport.ts'

/** Milliseconds. */
const connectionTimeout = 10_000
const socketTimeout = 30_000
const maxConnections = 5

/**
 * Sends through an SMTP server: `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte.
 *
 * @param dkim signs each mail for the domain that it comes from
 */
export function createSmtpTransport(smtpUrl: string, dkim: DkimKey | null = null): MailTransport {
  const transporter = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections,
    connectionTimeout,
    greetingTimeout: connectionTimeout,
    socketTimeout,
    // A message is text from templates, and never reads a file or a page.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    name: 'smtp',
    async send(mail) {
      try {
        const { messageId } = await transporter.sendMail({ ...messageOf(mail), ...signature(mail, dkim) })
        return { outcome: 'accepted', messageId }
      } catch (error) {
        return failure(error)
      }
    },
    close: () => transporter.close(),
  }
}

function signature({ from }: Mail, dkim: DkimKey | null): Pick<SendMailOptions, 'dkim'> {
  const domainName = domainOf(from.address)
  if (dkim === null || domainName === null) return {}
  const privateKey = dkim.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { dkim: { domainName, keySelector: dkim.selector, privateKey } }
}

/** A server's 5xx to the receiver or to the message is for good; a 5xx to our login is ours to mend. */
function failure(error: unknown): SendOutcome {
  const { code, responseCode = 0, rejected = [] } = error as SmtpError
  const reason = error instanceof Error ? error.message : String(error)
  const isForGood = responseCode >= 500 && responseCode < 600
  if (isForGood && code === 'EENVELOPE' && rejected.length > 0) return { outcome: 'bounced', reason }
  if (isForGood && code === 'EMESSAGE') return { outcome: 'refused', reason }
  return { outcome: 'unavailable', reason }
}

interface SmtpError {
  readonly code?: string
  readonly responseCode?: number
  readonly rejected?: readonly unknown[]
}
