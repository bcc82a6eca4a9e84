import type { S3Options } from '@commerce-graph/file-storage'
import { resolve } from 'node:path'
import { z } from 'zod'
import { url } from './url-variable.ts'

const withoutSlash = (value: string): string => value.replace(/\/$/, '')

/** The environment variables about the storage of files. */
export const fileVariables = {
  FILES_URL: url(/^https?$/, 'https://api.example.com/files')
    .refine((value) => /\/files\/?$/.test(new URL(value).pathname), {
      error: 'must end with /files, where the contract serves files',
    })
    .transform(withoutSlash)
    .optional(),
  FILES_FOLDER: z
    .string()
    .transform((folder) => resolve(folder))
    .optional(),
  FILES_S3_ENDPOINT: url(/^https?$/, 'https://s3.eu-central-1.amazonaws.com')
    .transform(withoutSlash)
    .optional(),
  FILES_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  FILES_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'must be a region, like eu-central-1')
    .default('us-east-1'),
  FILES_S3_ACCESS_KEY_ID: z.string().optional(),
  FILES_S3_SECRET_ACCESS_KEY: z.string().optional(),
}

interface FileValues {
  readonly FILES_FOLDER?: string | undefined
  readonly FILES_S3_ENDPOINT?: string | undefined
  readonly FILES_S3_BUCKET?: string | undefined
  readonly FILES_S3_REGION: string
  readonly FILES_S3_ACCESS_KEY_ID?: string | undefined
  readonly FILES_S3_SECRET_ACCESS_KEY?: string | undefined
}

const bucketVariables = [
  'FILES_S3_ENDPOINT',
  'FILES_S3_BUCKET',
  'FILES_S3_ACCESS_KEY_ID',
  'FILES_S3_SECRET_ACCESS_KEY',
] as const

/** A bucket needs all of its variables, and takes the place of a folder. */
export function fileProblems(values: FileValues): readonly string[] {
  const missing = bucketVariables.filter((name) => values[name] === undefined)
  if (missing.length === bucketVariables.length) return []
  if (missing.length > 0) return [`files in S3 also need ${missing.join(', ')}`]
  return values.FILES_FOLDER === undefined ? [] : ['FILES_FOLDER and FILES_S3_ENDPOINT exclude each other']
}

/** The bucket; undefined if files are stored in a folder. */
export function bucketOf(values: FileValues): S3Options | undefined {
  const { FILES_S3_ENDPOINT: endpoint, FILES_S3_BUCKET: bucket, FILES_S3_REGION: region } = values
  const { FILES_S3_ACCESS_KEY_ID: accessKeyId, FILES_S3_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (endpoint === undefined || bucket === undefined) return undefined
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { endpoint, bucket, region, accessKeyId, secretAccessKey }
}
