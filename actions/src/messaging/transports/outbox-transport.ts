import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import { type Mail, type MailTransport, messageOf } from './mail-transport.ts'

/** Files that are kept; the oldest ones go. */
const maxFiles = 500

/**
 * Puts each message into a folder, as a file that mail programs open and only its owner may read, and sends nothing: for
 * development, where no real mailbox is meant.
 *
 * @param logger warns, once, when the first e-mail has to make room
 * @param keptDays how long a message stays at most
 */
export function createOutboxTransport(folder: string, logger?: Logger, keptDays = 30): MailTransport {
  let hasSaid = false
  const sayOnce = (): void => {
    if (!hasSaid)
      logger?.warn({ folder, kept: maxFiles }, 'the outbox folder is full: its oldest e-mails are removed')
    hasSaid = true
  }
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
        await removeBefore(folder, Date.now() - keptDays * 24 * 60 * 60 * 1_000)
        if (await removeOldest(folder)) sayOnce()
        return { outcome: 'accepted', messageId: null }
      } catch (error) {
        return { outcome: 'unavailable', reason: error instanceof Error ? error.message : String(error) }
      }
    },
    close: () => composer.close(),
  }
}

/** Messages are named by their ids, which begin with the milliseconds since 1970 in 12 hexadecimal digits. */
const messagesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort()

async function removeBefore(folder: string, time: number): Promise<void> {
  for (const name of await messagesIn(folder))
    if (Number.parseInt(name.slice(0, 13).replace('-', ''), 16) < time)
      await rm(join(folder, name), { force: true })
}

/** Returns whether any had to go. */
async function removeOldest(folder: string): Promise<boolean> {
  const files = await messagesIn(folder)
  const oldest = files.slice(0, -maxFiles)
  for (const name of oldest) await rm(join(folder, name), { force: true })
  return oldest.length > 0
}
