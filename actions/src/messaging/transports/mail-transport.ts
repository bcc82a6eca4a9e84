import type { SendMailOptions } from 'nodemailer'
import type { SendOutcome } from './send-outcome.ts'

interface Mailbox {
  readonly name: string
  readonly address: string
}

export interface Mail {
  /** Of the delivery. Sent again, the message has the same Message-ID, by which a mailbox can know it. */
  readonly id: string
  /** The sender of the mails. */
  readonly from: Mailbox
  /** Where answers go; null: to `from`, as no other address has been confirmed. */
  readonly replyTo: Mailbox | null
  readonly to: Mailbox
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** A message as nodemailer takes it. */
export function messageOf({ id, from, replyTo, to, subject, html, text, headers }: Mail): SendMailOptions {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return {
    messageId: `<${id}@${domain}>`,
    from,
    ...(replyTo !== null && { replyTo }),
    to,
    subject,
    html,
    text,
    headers: { ...headers },
  }
}

/** A transport of e-mails. It never throws: a failure is an outcome. */
export interface MailTransport {
  /** Stored with every delivery; null: nothing takes e-mail. */
  readonly name: string | null
  send(mail: Mail): Promise<SendOutcome>
  close(): void
}
