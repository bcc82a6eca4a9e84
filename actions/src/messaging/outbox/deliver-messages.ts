import type { Database } from '../../database.ts'
import { deliverEmails, type EmailSending } from './deliver-emails.ts'
import { deliverPushes, type PushSending } from './deliver-pushes.ts'

/** The transports of messages. */
export interface MessageSending extends EmailSending, PushSending {}

/** Sends every message that is due. Returns how many. */
export async function deliverMessages(database: Database, sending: MessageSending): Promise<number> {
  const [emails, pushes] = await Promise.all([
    deliverEmails(database, sending),
    deliverPushes(database, sending),
  ])
  return emails + pushes
}
