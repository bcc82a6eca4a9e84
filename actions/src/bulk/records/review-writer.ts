import type { Filled, ImportReviewRow } from '@commerce-graph/contract'
import * as catalog from '../../sql/generated/catalog.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { textAt, writtenRecords } from './refusals.ts'
import type { RecordWriter } from './record-writer.ts'

type ReviewRow = Filled<ImportReviewRow>

export interface PreparedReview {
  readonly review: object
  readonly row: ReviewRow
}

export const reviewWriter: RecordWriter<PreparedReview> = {
  checksSideBySide: false,
  tables: ['catalog.review', 'bulk.imported_record', 'bulk.import_key'],
  prepare({ values, fingerprint }) {
    const row = values as unknown as ReviewRow
    const id = uuidV7()
    const review = {
      id,
      key: row.externalId,
      fingerprint,
      sku: row.sku,
      email: row.email,
      author_name: row.authorName,
      rating: row.rating,
      title: row.title,
      body: row.body,
      status: row.status,
      created_at: row.createdAt,
    }
    const keys = [{ kind: 'REVIEW', key: row.externalId, field: 'externalId' }]
    return { kind: 'prepared', record: { id, keys, prepared: { review, row } } }
  },
  async write(sql, records, { merchantId, importId, checkOnly }) {
    const answers = await catalog.importReviews(sql, {
      merchantId,
      importId: checkOnly ? importId : null,
      batch: { reviews: records.map(({ prepared }) => prepared.review) },
    })
    const rows = new Map(records.map(({ id, prepared }) => [id, prepared.row]))
    return writtenRecords(answers, (id, field) => textAt(rows.get(id), field))
  },
}
