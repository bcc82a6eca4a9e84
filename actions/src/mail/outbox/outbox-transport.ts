import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { type Mail, type MailTransport, messageOf } from '../mail-transport.ts'

/** Files that are kept; the oldest ones go. */
const MAX_FILES = 500

/**
 * Puts each message into a folder, as a file that mail programs open and only its owner may read, and sends nothing: for
 * development, where nobody's mailbox is meant.
 */
export function createOutboxTransport(folder: string): MailTransport {
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    name: 'outbox',
    async send(mail: Mail) {
      try {
        const { message } = await composer.sendMail(messageOf(mail))
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const file = join(folder, `${mail.id}.eml`)
        await writeFile(`${file}.new`, message as Buffer, { mode: 0o600 })
        await rename(`${file}.new`, file)
        await removeOldest(folder)
        return { outcome: 'accepted', messageId: null }
      } catch (error) {
        return { outcome: 'unavailable', reason: error instanceof Error ? error.message : String(error) }
      }
    },
    close: () => composer.close(),
  }
}

/** Messages are named by their ids, which begin with the time. */
async function removeOldest(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort()
  for (const name of files.slice(0, -MAX_FILES)) await rm(join(folder, name), { force: true })
}
