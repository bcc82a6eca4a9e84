import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  idempotencyKeyReused,
  invalid,
  notFound,
  unchanged,
  type UserError,
} from '../action/answer.ts'
import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { Database } from '../database.ts'
import type { FileStorage } from '@commerce-graph/file-storage'
import * as files from '../sql/generated/files.ts'
import { imageTypeNames, imageTypes, maxImageBytes } from './image-bounds.ts'
import {
  checkUpload,
  createDownload,
  createUpload,
  forgetUpload,
  type NewFile,
  type UploadOutcome,
} from './uploads.ts'

export interface FileActionsOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly storage: FileStorage
}

/** The domain's actions, by the name of the mutation. */
export const fileActions = (options: FileActionsOptions): Readonly<Record<string, Action>> => ({
  createFileUpload: create(options),
  completeFileUpload: complete(options),
  createFileDownload: download(options),
  deleteFile: remove(options),
})

const create = ({ database, storage }: FileActionsOptions): Action =>
  defineAction('createFileUpload', {
    answersSecret: true,
    check: ({ input }) => imageFaults(input),
    handle: async ({ session: { merchantId } }, { input }) =>
      uploadAnswer(await createUpload(database, storage, merchantId, input)),
  })

function imageFaults({ purpose, contentType, size }: NewFile): readonly UserError[] {
  if (purpose !== 'IMAGE') return []
  return [
    ...(imageTypes.includes(contentType)
      ? []
      : [invalidValue('contentType', `An image is ${imageTypeNames}: ${imageTypes.join(', ')}`)]),
    ...(size > maxImageBytes
      ? [userError('size', { kind: 'range', value: size, min: 1, max: maxImageBytes })]
      : []),
  ]
}

function uploadAnswer(outcome: UploadOutcome): Answer {
  switch (outcome.outcome) {
    case 'created': {
      const { url, method, headers, expiresAt } = outcome.upload
      const listed = Object.entries(headers).map(([name, value]) => ({ name, value }))
      const upload = { id: outcome.fileId, url, method, headers: listed, expiresAt: expiresAt.toISOString() }
      return done({ upload })
    }
    case 'over_quota':
      return invalid(
        invalidValue(
          'size',
          `The plan includes ${outcome.quota} bytes of files, of which ${outcome.left} are left`,
        ),
      )
    default:
      return outcome satisfies never
  }
}

const complete = ({ database, keys, storage }: FileActionsOptions): Action =>
  defineAction('completeFileUpload', {
    // The storage is asked with no transaction open.
    keeping: 'in steps',
    async handle(call, { id }) {
      const { merchantId } = call.session
      const checked = await checkUpload(database, storage, merchantId, id)
      switch (checked.outcome) {
        case 'unknown_file':
          return invalid(notFound('id', 'File'))
        case 'not_uploaded':
          return invalid(
            invalidValue('id', 'The file has not been uploaded: send it to the URL of the upload'),
          )
        case 'not_an_image':
          return invalid(
            invalidValue('id', `An image is ${imageTypeNames}, and this is ${checked.found}: it is deleted`),
          )
        case 'completed_before':
          return unchanged({ merchantId, fileId: id })
        case 'checked':
          break
        default:
          return checked satisfies never
      }
      const { contentType, token } = checked
      const outcome = await keys.once(
        call,
        async (sql) => {
          await files.completeUpload(sql, { merchantId, fileId: id, contentType })
          return { outcome: 'completed' } as const
        },
        () => true,
      )
      if (outcome.outcome === 'key_reused') return idempotencyKeyReused(outcome.key)
      await forgetUpload(storage, merchantId, token)
      return done({ merchantId, fileId: id })
    },
  })

const download = ({ database, storage }: FileActionsOptions): Action =>
  defineAction('createFileDownload', {
    async handle({ session: { merchantId } }, { id }) {
      const outcome = await createDownload(database, storage, merchantId, id)
      switch (outcome.outcome) {
        case 'signed':
          return unchanged({ download: { url: outcome.url, expiresAt: outcome.expiresAt } })
        case 'unknown_file':
          return invalid(notFound('id', 'File'))
        case 'not_a_download':
          return invalid(invalidValue('id', 'The file is an image, which has a URL of its own'))
        case 'not_ready':
          return invalid(invalidValue('id', 'The upload of the file is not completed'))
        default:
          return outcome satisfies never
      }
    },
  })

const remove = ({ database }: FileActionsOptions): Action =>
  defineAction('deleteFile', {
    async handle({ session: { merchantId } }, { id }) {
      const outcome = await files.deleteFile(database, { merchantId, fileId: id })
      switch (outcome.outcome) {
        case 'deleted':
          return done({ success: true })
        case 'unknown_file':
          return invalid(notFound('id', 'File'))
        case 'in_use':
          return invalid(
            invalidValue(
              'id',
              `${outcome.products} products and ${outcome.categories} categories show the image: remove it there first`,
            ),
          )
        default:
          return outcome satisfies never
      }
    },
  })
