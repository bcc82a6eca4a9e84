import type { FileStorage } from '@commerce-graph/file-storage'
import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Database } from '../database.ts'
import * as bulk from '../sql/generated/bulk.ts'
import { fileOfImport } from './file-of-import.ts'

/** Imports of a merchant that have not ended. */
const maxImports = 20
/** Seconds in which the file has to come. */
const uploadTime = 6 * 60 * 60

const contentTypes = { JSON_LINES: 'application/x-ndjson', CSV: 'text/csv' } as const

/** The domain's actions, by the name of the mutation. */
export const bulkActions = (database: Database, files: FileStorage): Readonly<Record<string, Action>> => ({
  createImport: defineAction('createImport', {
    answersSecret: true,
    async handle({ session: { merchantId } }, { input }): Promise<Answer> {
      const outcome = await bulk.createImport(database, {
        merchantId,
        max: maxImports,
        import: {
          format: input.format,
          record_type: input.recordType,
          file_name: input.fileName,
          dry_run: input.dryRun,
          on_existing: input.onExisting,
          on_refused: input.onRefused,
        },
      })
      switch (outcome.outcome) {
        case 'created': {
          const { importId } = outcome
          const upload = await files.signedUploadUrl(fileOfImport(merchantId, importId), {
            contentType: contentTypes[input.format],
            size: input.fileSize,
            expiresInSeconds: uploadTime,
          })
          return done({
            merchantId,
            importId,
            upload: {
              url: upload.url,
              headers: Object.entries(upload.headers).map(([name, value]) => ({ name, value })),
              expiresAt: upload.expiresAt.toISOString(),
            },
          })
        }
        case 'too_many':
          return invalid(
            invalidValue('format', `${maxImports} imports have not ended: wait for one, or cancel it`),
          )
        default:
          return outcome satisfies never
      }
    },
  }),

  startImport: defineAction('startImport', {
    async handle({ session: { merchantId } }, { id }): Promise<Answer> {
      const file = await files.head(fileOfImport(merchantId, id))
      const [known] = await database<{ status: string }[]>`
        SELECT status FROM bulk.import WHERE merchant_id = ${merchantId} AND id = ${id}`
      if (known?.status === 'AWAITING_UPLOAD' && file === null)
        return invalid(invalidValue('id', 'The file of the import is not uploaded'))
      const outcome = await bulk.queueImport(database, { merchantId, importId: id })
      return outcome.outcome === 'queued' ? done({ merchantId, importId: id }) : staysAnswer(outcome)
    },
  }),

  cancelImport: defineAction('cancelImport', {
    async handle({ session: { merchantId } }, { id }): Promise<Answer> {
      const outcome = await bulk.cancelImport(database, { merchantId, importId: id })
      if (outcome.outcome !== 'cancelled') return staysAnswer(outcome)
      await files.delete(fileOfImport(merchantId, id))
      return done({ merchantId, importId: id })
    },
  }),
})

type Stays = Exclude<bulk.QueueImportAnswer | bulk.CancelImportAnswer, { outcome: 'queued' | 'cancelled' }>

function staysAnswer(outcome: Stays): Answer {
  switch (outcome.outcome) {
    case 'unknown_import':
      return invalid(notFound('id', 'Import'))
    case 'import_refused':
      return invalid(invalidValue('id', `The import is ${outcome.status}`))
    default:
      return outcome satisfies never
  }
}
