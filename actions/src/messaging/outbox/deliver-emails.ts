import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { type Observer, parentFrom, tracer } from '@commerce-graph/telemetry'
import { allEnded } from '../../all-ended.ts'
import type { Database } from '../../database.ts'
import { forgetMailedToken } from '../../identity/index.ts'
import { inBatches } from '../../in-batches.ts'
import { recordOutcome } from '../../record-outcome.ts'
import { claim, type ClaimAnswer } from '../../sql/generated/email.ts'
import { composeEmail, type ComposedEmail, type ComposeOptions } from '../compose/compose-email.ts'
import type { MailTransport, SendOutcome } from '../transports/index.ts'
import { keepingClaims } from './keep-claims.ts'
import { claimSeconds, type RetryPolicy, settle } from './settle.ts'

export interface EmailSending extends ComposeOptions {
  readonly mailer: MailTransport
  readonly retryPolicy: RetryPolicy
  readonly observe?: Observer['delivery'] | undefined
}

const table = 'email.delivery'
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
    await keepingClaims(database, table, claimed, () =>
      allEnded(claimed.map((email) => deliver(forMerchant(database, email.merchantId), sending, email))),
    )
    return claimed.length
  }
  return inBatches(batch, sendBatch, maxPerRun)
}

async function deliver(database: Database, sending: EmailSending, email: ClaimAnswer): Promise<void> {
  const { mailer, retryPolicy } = sending
  const attempt = { table, claim: email, retryPolicy } as const
  const composed = composeOrSayWhyNot(email, sending)
  if (typeof composed === 'string') {
    await recordOutcome(() => settle(database, attempt, { outcome: 'unavailable', reason: composed }, {}))
    return
  }
  const { mail, logged, withoutToken } = composed
  const options = { kind: 'producer', parent: parentFrom(email.traceContext) } as const
  const result = await tracer.span(`email ${email.kind}`, options, () => mailer.send(mail))
  sending.observe?.('email', result.outcome)
  const columns = { ...logged, transport: mailer.name }
  await recordOutcome(() =>
    database.begin(async (sql) => {
      await settle(sql, attempt, hiding(result, withoutToken), columns)
      const isOver = result.outcome === 'accepted' || result.outcome === 'discarded'
      if (email.token !== null && isOver) {
        await forgetMailedToken(sql, { merchantId: email.merchantId, id: email.subjectKey })
      }
    }),
  )
}

/**
 * The mail, or why there is none: its token is sealed with a key that is missing, or a fault of ours. It is tried again as one that
 * the server didn't take, because a later version, or one with the key, may compose it.
 */
function composeOrSayWhyNot(email: ClaimAnswer, options: ComposeOptions): ComposedEmail | string {
  try {
    return composeEmail(email, options)
  } catch (error) {
    return `The mail could not be composed: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A server that refuses a message may say what it found in it. */
const hiding = (result: SendOutcome, withoutToken: (text: string) => string): SendOutcome =>
  result.outcome === 'accepted' ? result : { ...result, reason: withoutToken(result.reason) }
