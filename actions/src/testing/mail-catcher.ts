import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface CaughtMail {
  readonly to: readonly string[]
  /** As received over the wire. */
  readonly source: string
  readonly messageId: string
  readonly subject: string
}

export interface MailCatcher {
  readonly url: string
  readonly mails: readonly CaughtMail[]
  /** Sets the server's answer to the recipient of a message. By default it accepts every message. */
  answerWith(answer: MailAnswer): void
  /** How many messages were begun, accepted or not. */
  readonly begun: () => number
  close(): Promise<void>
}

export type MailAnswer =
  | { readonly kind: 'take' }
  /** An SMTP status for the recipient: 550 unknown, 451 try later. */
  | { readonly kind: 'refuse'; readonly status: number }
  /** Sends no answer until the connection ends. */
  | { readonly kind: 'hang' }

/** A mail server that keeps the mails it receives. */
export async function startMailCatcher(): Promise<MailCatcher> {
  const mails: CaughtMail[] = []
  let answer: MailAnswer = { kind: 'take' }
  let begun = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    // Milliseconds. The server does not wait for a dialogue that hangs on purpose.
    closeTimeout: 100,
    onRcptTo(_address, _session, callback) {
      begun += 1
      if (answer.kind === 'hang') return
      if (answer.kind === 'take') callback()
      else callback(Object.assign(new Error('No'), { responseCode: answer.status }))
    },
    onData(stream, session, callback) {
      void text(stream).then((source) => {
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          source,
          messageId: header(source, 'Message-ID'),
          subject: header(source, 'Subject'),
        })
        callback()
      })
    },
  })
  // A client that is killed in the middle must not fail the server.
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    answerWith: (next) => void (answer = next),
    begun: () => begun,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function header(source: string, name: string): string {
  const unfolded = source.replaceAll(/\r\n[ \t]+/g, ' ')
  return new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? ''
}
