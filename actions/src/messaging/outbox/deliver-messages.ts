import { allEnded } from '../../all-ended.ts'
import type { Database } from '../../database.ts'
import { deliverEmails, type EmailSending } from './deliver-emails.ts'
import { deliverPushes, type PushSending } from './deliver-pushes.ts'

/** The transports of messages. */
export interface MessageSending extends EmailSending, PushSending {}

/** Sends every message that is due. Returns how many. */
export async function deliverMessages(database: Database, sending: MessageSending): Promise<number> {
  const sent = await allEnded([deliverEmails(database, sending), deliverPushes(database, sending)])
  return sent.reduce((sum, count) => sum + count, 0)
}
