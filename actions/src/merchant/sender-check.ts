import { Resolver } from 'node:dns/promises'
import type { NewSenderRecord } from '../sql/generated/merchant.ts'
import { isAmong, neededRecords, type SenderSettings } from './sender-records.ts'

/** Reads TXT records. The names that are asked for are made of the domains that merchants set. */
export interface DnsLookup {
  /** The record's texts; null: DNS didn't answer, which says nothing of the records. */
  texts(name: string): Promise<readonly string[] | null>
}

/** Milliseconds of one attempt, of which there are two. */
const timeout = 2_000
const tries = 2

/** @param servers addresses like `192.0.2.53` or `127.0.0.1:5353`; those of the machine when absent */
export function createDnsLookup(servers?: readonly string[]): DnsLookup {
  const resolver = new Resolver({ timeout, tries })
  if (servers !== undefined) resolver.setServers([...servers])
  return {
    async texts(name) {
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
      } catch (error) {
        return saysThereIsNone(error) ? [] : null
      }
    },
  }
}

const saysThereIsNone = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes((error as NodeJS.ErrnoException).code ?? '')

export interface SenderCheck {
  readonly records: readonly (NewSenderRecord & { readonly found: boolean | null })[]
  /** Whether DNS answered for every record. */
  readonly answered: boolean
  /** In words for the merchant; null: every record is there. */
  readonly problem: string | null
}

/** Looks all records of a domain up, for some seconds at most. */
export async function checkSender(
  lookup: DnsLookup,
  sender: { readonly domain: string; readonly token: string },
  settings: SenderSettings,
): Promise<SenderCheck> {
  const records = await Promise.all(
    neededRecords(sender, settings).map(async (record) => {
      const texts = await lookup.texts(record.name)
      return { ...record, found: texts === null ? null : isAmong(record, texts) }
    }),
  )
  const absent = records.filter(({ found }) => found === false)
  const answered = records.every(({ found }) => found !== null)
  const problem =
    absent.length > 0 ? missing(absent) : answered ? null : `DNS does not answer for ${sender.domain}`
  return { records, answered: answered || absent.length > 0, problem }
}

const missing = (records: readonly NewSenderRecord[]): string =>
  `DNS does not have the record${records.length > 1 ? 's' : ''} ${records.map(({ type, name }) => `${type} ${name}`).join(', ')}, or not with this value`
