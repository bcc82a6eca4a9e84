import type { Filled, ImportPromotionRow } from '@commerce-graph/contract'
import { invalidValue, outOfRange, requiredField, type UserError } from '@commerce-graph/contract/input'
import * as promotion from '../../sql/generated/promotion.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { textAt, writtenRecords } from './refusals.ts'
import type { RecordWriter } from './record-writer.ts'

type PromotionRow = Filled<ImportPromotionRow>

export interface PreparedPromotion {
  readonly promotion: object
  readonly row: PromotionRow
}

/** Promotions. One that is here already stays as it is. */
export const promotionWriter: RecordWriter<PreparedPromotion> = {
  checksSideBySide: false,
  tables: ['promotion.promotion', 'bulk.imported_record', 'bulk.import_key'],
  prepare({ values, fingerprint }) {
    const row = values as unknown as PromotionRow
    const errors = faultsOf(row)
    if (errors.length > 0) return { kind: 'invalid', errors }
    const id = uuidV7()
    const key = row.externalId ?? row.code ?? row.name
    const prepared = {
      row,
      promotion: {
        id,
        key,
        fingerprint,
        name: row.name,
        description: row.description,
        code: row.code,
        discount_type: row.discountType,
        discount_value: row.discountValue,
        start_date: row.startDate,
        end_date: row.endDate,
        disabled: row.disabled,
        usage_limit: row.usageLimit,
      },
    }
    const keys = [
      {
        kind: 'PROMOTION',
        key,
        field: row.externalId !== null ? 'externalId' : row.code !== null ? 'code' : 'name',
      },
      ...(row.code === null ? [] : [{ kind: 'CODE', key: row.code.toLowerCase(), field: 'code' }]),
    ]
    return { kind: 'prepared', record: { id, keys, prepared } }
  },
  async write(sql, records, { merchantId }) {
    const answers = await promotion.importPromotions(sql, {
      merchantId,
      batch: { promotions: records.map(({ prepared }) => prepared.promotion) },
    })
    const rows = new Map(records.map(({ id, prepared }) => [id, prepared.row]))
    return writtenRecords(answers, (id, field) => textAt(rows.get(id), field))
  },
}

function faultsOf({ discountType, discountValue, startDate, endDate }: PromotionRow): readonly UserError[] {
  const errors: UserError[] = []
  if (Date.parse(startDate) >= Date.parse(endDate))
    errors.push(invalidValue('endDate', 'The promotion ends after it starts'))
  if (discountType === 'FREE_SHIPPING') return errors
  const most = discountType === 'PERCENTAGE' ? 100 : 2_147_483_647
  if (discountValue === null) errors.push(requiredField('discountValue'))
  else if (discountValue < 1 || discountValue > most)
    errors.push(outOfRange('discountValue', discountValue, 1, most))
  return errors
}
