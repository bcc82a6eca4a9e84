import { createHash } from 'node:crypto'
import type { Filled, ImportCustomerRow } from '@commerce-graph/contract'
import * as crm from '../../sql/generated/crm.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { textAt, writtenRecords } from './refusals.ts'
import type { RecordWriter } from './record-writer.ts'

type CustomerRow = Filled<ImportCustomerRow>

export interface PreparedCustomer {
  readonly customer: object
  readonly addresses: readonly object[]
  readonly row: CustomerRow
}

/** Customers with their addresses. They get in by a mail that sets their password. */
export const customerWriter: RecordWriter<PreparedCustomer> = {
  checksSideBySide: false,
  tables: ['crm.customer', 'crm.address', 'bulk.imported_record', 'bulk.import_key'],
  prepare({ values, fingerprint }) {
    const row = values as unknown as CustomerRow
    const id = uuidV7()
    const email = row.email.toLowerCase()
    const prepared = {
      row,
      customer: {
        id,
        key: row.externalId ?? keyOfEmail(email),
        external_id: row.externalId,
        fingerprint,
        email: row.email,
        name: row.name,
        phone: row.phone,
        marketing_opt_in: row.marketingOptIn,
        tags: row.tags,
        notes: row.notes,
        created_at: row.createdAt,
      },
      addresses: addressesOf(id, row),
    }
    const keys = [
      { kind: 'EMAIL', key: email, field: 'email' },
      ...(row.externalId === null ? [] : [{ kind: 'CUSTOMER', key: row.externalId, field: 'externalId' }]),
    ]
    return { kind: 'prepared', record: { id, keys, prepared } }
  },
  async write(sql, records, { merchantId, importId, update, checkOnly }) {
    const answers = await crm.importCustomers(sql, {
      merchantId,
      importId: checkOnly ? null : importId,
      update,
      batch: {
        customers: records.map(({ prepared }) => prepared.customer),
        addresses: records.flatMap(({ prepared }) => prepared.addresses),
      },
    })
    const rows = new Map(records.map(({ id, prepared }) => [id, prepared.row]))
    return writtenRecords(answers, (id, field) => textAt(rows.get(id), field))
  },
}

/** An address of a person who is forgotten must not stay in a register of what was imported. */
const keyOfEmail = (email: string): string =>
  `email:${createHash('sha256').update(email).digest('base64url')}`

function addressesOf(id: string, { addresses }: CustomerRow): readonly object[] {
  const list = addresses ?? []
  const preset = Math.max(
    0,
    list.findIndex(({ isDefault }) => isDefault === true),
  )
  return list.map((address, index) => ({
    customer_id: id,
    recipient_name: address.recipientName?.trim() || null,
    company: address.company?.trim() || null,
    line1: address.line1?.trim() || '-',
    line2: address.line2,
    city: address.city?.trim() || '-',
    state: address.state ?? '',
    postal_code: address.postalCode ?? '',
    country: address.country ?? 'ZZ',
    phone: address.phone,
    is_default: index === preset,
  }))
}
