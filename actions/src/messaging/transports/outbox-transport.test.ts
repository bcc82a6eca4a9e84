import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createOutboxTransport } from './outbox-transport.ts'

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

/** An id of a message that was written as many days ago. */
function idOf(number: number, daysAgo = 0): string {
  const time = (Date.now() - daysAgo * 24 * 60 * 60 * 1_000).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(number).padStart(12, '0')}`
}

test('a message goes after its days', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-'))
  try {
    for (const days of [8, 6]) writeFileSync(join(folder, `${idOf(1, days)}.eml`), String(days))
    writeFileSync(join(folder, 'notes.txt'), 'not ours')
    const transport = createOutboxTransport(folder, undefined, 7)
    await transport.send({ ...mail, id: idOf(2) })
    const files = readdirSync(folder).sort()
    expect(files).toHaveLength(3)
    expect(readFileSync(join(folder, files[0] ?? ''), 'utf8')).toBe('6')
    transport.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a full folder loses its oldest e-mails, and the log says so once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-'))
  try {
    for (let number = 0; number < 500; number += 1) writeFileSync(join(folder, `${idOf(number, 1)}.eml`), '')
    const lines: string[] = []
    const transport = createOutboxTransport(
      folder,
      pino({ base: null }, { write: (line) => void lines.push(line) }),
    )
    const ids = [idOf(501), idOf(502)]
    for (const id of ids)
      expect(await transport.send({ ...mail, id })).toEqual({ outcome: 'accepted', messageId: null })
    const files = readdirSync(folder).sort()
    expect(files).toHaveLength(500)
    expect(files[0]).toMatch(/-000000000002\.eml$/)
    expect(files.slice(-2)).toEqual(ids.map((id) => `${id}.eml`))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('its oldest e-mails are removed')
    transport.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
