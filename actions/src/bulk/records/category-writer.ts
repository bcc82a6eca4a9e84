import type { Filled, ImportCategoryRow } from '@commerce-graph/contract'
import { invalidValue } from '@commerce-graph/contract/input'
import * as catalog from '../../sql/generated/catalog.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { categoryPath } from './category-path.ts'
import { textAt, writtenRecords } from './refusals.ts'
import type { RecordWriter } from './record-writer.ts'

type CategoryRow = Filled<ImportCategoryRow>

export interface PreparedCategory {
  readonly category: object
  readonly row: CategoryRow
}

export const categoryWriter: RecordWriter<PreparedCategory> = {
  checksSideBySide: false,
  tables: ['catalog.category', 'bulk.imported_record', 'bulk.import_key'],
  prepare({ values, fingerprint }) {
    const row = values as unknown as CategoryRow
    const path = categoryPath(row.path)
    if (path === null)
      return {
        kind: 'invalid',
        errors: [
          invalidValue('path', 'A path has 1 to 10 names of up to 200 characters, with > between them'),
        ],
      }
    const id = uuidV7()
    const whole = path.join(' > ')
    const category = {
      id,
      key: row.externalId ?? whole,
      external_id: row.externalId,
      fingerprint,
      path,
      slug: row.slug,
      description: row.description,
      position: row.position,
      seo_title: row.seoTitle,
      seo_description: row.seoDescription,
    }
    const keys = [
      {
        kind: 'CATEGORY',
        key: row.externalId ?? whole,
        field: row.externalId === null ? 'path' : 'externalId',
      },
      ...(row.slug === null ? [] : [{ kind: 'CATEGORY_SLUG', key: row.slug, field: 'slug' }]),
    ]
    return { kind: 'prepared', record: { id, keys, prepared: { category, row } } }
  },
  async write(sql, records, { merchantId, importId, update }) {
    const answers = await catalog.importCategories(sql, {
      merchantId,
      importId,
      update,
      batch: { categories: records.map(({ prepared }) => prepared.category) },
    })
    const rows = new Map(records.map(({ id, prepared }) => [id, prepared.row]))
    return writtenRecords(answers, (id, field) => textAt(rows.get(id), field))
  },
}
