import { AwsClient } from 'aws4fetch'
import { xmlTexts } from './xml-texts.ts'

export interface S3Options {
  /** The store's address, without the bucket, which becomes the first part of paths: MinIO and all others take that. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3Requests {
  /**
   * Sends a signed request, again after a failure that may pass. @throws Error with the store's code for an answer that
   * is neither a success nor allowed
   */
  send(method: string, url: string, request?: S3Request): Promise<Response>
}

interface S3Request {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal | undefined
  /** Statuses that the caller handles. */
  readonly allow?: readonly number[]
  /** Whether the answer's body may take longer than the request. */
  readonly streams?: boolean
}

const retries = 3
/** Milliseconds for a request with its body of one part at most. */
const requestTimeout = 60_000
/** Milliseconds for the content of a file. */
const streamTimeout = 60 * 60_000

export function createS3Requests(options: Omit<S3Options, 'bucket' | 'endpoint'>): S3Requests {
  const client = new AwsClient({ ...options, service: 's3', retries })
  return {
    async send(method, url, { headers = {}, body, signal, allow = [], streams = false } = {}) {
      const timeout = AbortSignal.timeout(streams ? streamTimeout : requestTimeout)
      const answer = await client.fetch(url, {
        method,
        headers,
        ...(body && { body }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      if (answer.ok || allow.includes(answer.status)) return answer
      const [code = 'no code'] = xmlTexts((await answer.text()).slice(0, 10_000), 'Code')
      throw new Error(
        `the file store answered ${answer.status} (${code}) to ${method} ${new URL(url).pathname}`,
      )
    },
  }
}
