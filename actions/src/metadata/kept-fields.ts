import type { MerchantId } from '@commerce-graph/contract/ids'
import type { UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Session } from '../action/session.ts'
import type { Database, Queryable } from '../database.ts'
import * as metadata from '../sql/generated/metadata.ts'

/** What the merchant keeps with a record. */
export interface KeptFields {
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

const names = ['externalId', 'metadata', 'privateMetadata'] as const

/**
 * The errors of what shoppers and guests say, though it is the merchant's to say.
 *
 * @param prefix of the fields' paths: `items.0.`; '' for the input itself
 */
export const merchantsFieldErrors = (
  { role }: Pick<Session, 'role'>,
  fields: KeptFields,
  prefix = '',
): readonly UserError[] =>
  role === 'merchant'
    ? []
    : names
        .filter((name) => fields[name] != null)
        .map((name) => invalidValue(`${prefix}${name}`, `Only the merchant can say ${name}`))

interface Kept {
  readonly merchantId: MerchantId
  readonly ownerType: 'CART' | 'APPOINTMENT'
  readonly fields: KeptFields
}

/**
 * Makes a record and keeps the fields with it, both or neither. Throws the database's refusal of the fields, which defineAction answers.
 *
 * @param idOf the id of the record that was made; null where none was
 */
export async function keepingWith<Made>(
  database: Database,
  { merchantId, ownerType, fields }: Kept,
  make: (sql: Queryable) => Promise<Made>,
  idOf: (made: Made) => string | null,
): Promise<Made> {
  const { externalId = null, metadata: open = null, privateMetadata = null } = fields
  if (externalId === null && open === null && privateMetadata === null) return make(database)
  const made = await database.begin(async (sql) => {
    const record = await make(sql)
    const id = idOf(record)
    const kept = { externalId, metadata: open, privateMetadata }
    if (id !== null) await metadata.keepWith(sql, { merchantId, ownerType, id, kept })
    return { record }
  })
  return made.record
}
