import { createPublicKey, type KeyObject } from 'node:crypto'
import type { DkimKey } from '../messaging/sender-domain.ts'
import type { NewSenderRecord } from '../sql/generated/merchant.ts'

/** The deployment's settings for the DNS of merchants' sender domains. */
export interface SenderSettings {
  /** The key that its mails are signed with; null: the deployment signs none. */
  readonly dkim: DkimKey | null
  /** The host whose SPF record names the mail server, like `_spf.mail.example`; null: none is asked for. */
  readonly spfInclude: string | null
}

/** The records that a domain needs, in the order in which a merchant sets them. */
export function neededRecords(
  { domain, token }: { readonly domain: string; readonly token: string },
  { dkim, spfInclude }: SenderSettings,
): readonly NewSenderRecord[] {
  const record = (purpose: NewSenderRecord['purpose'], name: string, value: string): NewSenderRecord => ({
    purpose,
    type: 'TXT',
    name,
    value,
  })
  return [
    record('OWNERSHIP', `_commerce-graph.${domain}`, `commerce-graph=${token}`),
    ...(dkim === null
      ? []
      : [record('DKIM', `${dkim.selector}._domainkey.${domain}`, dkimValue(dkim.privateKey))]),
    ...(spfInclude === null ? [] : [record('SPF', domain, `v=spf1 include:${spfInclude} ~all`)]),
  ]
}

function dkimValue(privateKey: KeyObject): string {
  const key = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return `v=DKIM1; k=rsa; p=${key.toString('base64')}`
}

/** Whether one of the texts that DNS has under the record's name says what the record says. */
export function isAmong(record: NewSenderRecord, texts: readonly string[]): boolean {
  switch (record.purpose) {
    case 'OWNERSHIP':
      return texts.some((text) => text.trim() === record.value)
    case 'DKIM':
      return texts.some((text) => tagOf(text, 'p') === tagOf(record.value, 'p'))
    case 'SPF':
      return texts.some((text) => isSpf(text) && text.toLowerCase().split(/\s+/).includes(includeOf(record)))
    default:
      return record.purpose satisfies never
  }
}

/** RFC 6376, 3.2: tags are separated by semicolons, and white space doesn't count. */
const tagOf = (text: string, name: string): string | undefined =>
  text
    .replaceAll(/\s/g, '')
    .split(';')
    .find((tag) => tag.startsWith(`${name}=`))

const isSpf = (text: string) => /^v=spf1(?:\s|$)/i.test(text)

const includeOf = ({ value }: NewSenderRecord) => value.split(' ')[1]?.toLowerCase() ?? ''
