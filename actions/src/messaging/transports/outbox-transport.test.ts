import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createOutboxTransport } from './outbox-transport.ts'

test('a full folder loses its oldest e-mails, and the log says so once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-'))
  try {
    for (let number = 0; number < 500; number += 1)
      writeFileSync(join(folder, `0${String(number).padStart(3, '0')}.eml`), '')
    const lines: string[] = []
    const transport = createOutboxTransport(
      folder,
      pino({ base: null }, { write: (line) => void lines.push(line) }),
    )
    const mailbox = { name: 'Ada', address: 'ada@example.com' }
    const mail = {
      from: mailbox,
      replyTo: mailbox,
      to: mailbox,
      subject: 'a',
      html: 'b',
      text: 'c',
      headers: {},
    }
    for (const id of ['1', '2'])
      expect(await transport.send({ ...mail, id })).toEqual({ outcome: 'accepted', messageId: null })
    const files = readdirSync(folder).sort()
    expect(files).toHaveLength(500)
    expect([files[0], ...files.slice(-2)]).toEqual(['0002.eml', '1.eml', '2.eml'])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('its oldest e-mails are removed')
    transport.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
