import { contentTypeOf, keyOfFile } from './export-file.ts'
import type { ExportJob, ExportOptions, Turn } from './export-job.ts'

/** A record as the view has it. */
interface CustomerRecord {
  readonly customerId: string
  readonly type: string
  readonly record: Readonly<Record<string, unknown>>
}

/** Rows that the database is asked for at a time. */
const fetched = 500

/**
 * Writes all that is stored about a person, a record in each line, in one go: a try that fails leaves no file. The
 * person's other records are those with the same e-mail address, such as purchases as a guest. A shopper gets them only
 * if the address is verified.
 */
export async function writeCustomerData(options: ExportOptions, job: ExportJob): Promise<Turn> {
  const { merchantId, customerId } = job
  const [person] =
    customerId === null
      ? []
      : await options.database<{ isVerified: boolean }[]>`
          SELECT c.email_verified AS "isVerified" FROM crm.customer c
          WHERE c.merchant_id = ${merchantId} AND c.id = ${customerId} AND c.anonymized_at IS NULL`
  if (customerId === null || person === undefined)
    return { kind: 'refused', rows: 0, reason: 'The customer’s record is gone' }
  const byEmail = job.holderKind !== 'CUSTOMER' || person.isVerified
  const fileKey = keyOfFile(job, job.claim)
  let rows = 0
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const records of recordsOf(options, { merchantId, customerId: String(customerId), byEmail })) {
      rows += records.length
      yield Buffer.from(records.map((record) => `${lineOf(record)}\n`).join(''))
    }
  }
  const { size } = await options.files.put(fileKey, lines(), { contentType: contentTypeOf(job) })
  return { kind: 'whole', what: 'customer-data', fileKey, rows, bytes: size }
}

const recordsOf = (
  { database }: ExportOptions,
  {
    merchantId,
    customerId,
    byEmail,
  }: { readonly merchantId: string; readonly customerId: string; readonly byEmail: boolean },
): AsyncIterable<CustomerRecord[]> =>
  database<CustomerRecord[]>`
    SELECT r.customer_id AS "customerId", r.type, r.record
    FROM crm.customer c
    JOIN crm.customer o ON o.merchant_id = c.merchant_id AND (o.id = c.id OR (${byEmail} AND o.email = c.email))
    JOIN bulk.customer_record r ON r.merchant_id = o.merchant_id AND r.customer_id = o.id
    WHERE c.merchant_id = ${merchantId} AND c.id = ${customerId} AND (${byEmail} OR NOT r.by_email)`.cursor(
    fetched,
  )

const lineOf = ({ customerId, type, record }: CustomerRecord): string =>
  JSON.stringify({ record: type, customerId, data: inContractsNames(record) })

/** Names as the contract has them: `created_at` is `createdAt`. Values stay as they are. */
function inContractsNames(record: CustomerRecord['record']): Readonly<Record<string, unknown>> {
  const named = Object.entries(record).filter(([name]) => name !== 'merchant_id' && name !== 'customer_id')
  return Object.fromEntries(
    named.map(([name, value]) => [
      name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}
