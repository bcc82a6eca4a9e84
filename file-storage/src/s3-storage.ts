import { AwsClient } from 'aws4fetch'
import { Readable } from 'node:stream'
import { requireFileKey, requireFolder } from './file-key.ts'
import type { FileHead, FileStorage } from './file-storage.ts'
import { createS3Requests, type S3Options, type S3Requests } from './s3-requests.ts'
import { attachment } from './served-as.ts'
import { inParts } from './in-parts.ts'
import { interruptible } from './interruptible.ts'
import { xmlTexts } from './xml-texts.ts'

/** Bytes. S3 takes 10,000 parts of at least 5 MiB each, so a file has 80 GB at most. */
const partBytes = 8 * 1024 * 1024
/** Files that are deleted at the same time. */
const deletesAtOnce = 8
/** Milliseconds. No upload takes longer, so an older one belongs to a process that is gone. */
const oldestUpload = 24 * 60 * 60_000

/** Stores files in a bucket of S3, or of another store with its API. */
export function createS3Storage(options: S3Options): FileStorage {
  const requests = createS3Requests(options)
  const base = `${options.endpoint.replace(/\/$/, '')}/${options.bucket}`
  const presigner = new AwsClient({ ...options, service: 's3' })
  const urlOf = (key: string): string => `${base}/${requireFileKey(key)}`

  async function head(key: string): Promise<FileHead | null> {
    const answer = await requests.send('HEAD', urlOf(key), { allow: [404] })
    return answer.status === 404 ? null : headOf(answer)
  }

  async function keysBelow(folder: string): Promise<readonly string[]> {
    const answer = await requests.send('GET', `${base}?list-type=2&prefix=${folder}/`)
    return xmlTexts(await answer.text(), 'Key')
  }

  return {
    async put(key, content, { contentType, signal }) {
      const parts = inParts(interruptible(content, signal), partBytes)
      const first = await parts.next()
      const one = first.value ?? new Uint8Array()
      const second = first.done === true ? first : await parts.next()
      const headers = { 'content-type': contentType }
      if (second.done !== true) {
        const rest = resumed([one, second.value], parts)
        return { size: await putInParts(requests, urlOf(key), headers, rest, signal), contentType }
      }
      await requests.send('PUT', urlOf(key), { headers, body: one, signal })
      return { size: one.length, contentType }
    },
    async get(key, { range, signal } = {}) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
      const answer = await requests.send('GET', urlOf(key), { headers, signal, allow: [404], streams: true })
      if (answer.status === 404 || answer.body === null) {
        await answer.body?.cancel()
        return null
      }
      return { ...headOf(answer), content: Readable.from(answer.body) }
    },
    head,
    async copy(from, to) {
      const source = `/${options.bucket}/${requireFileKey(from)}`
      const answer = await requests.send('PUT', urlOf(to), {
        headers: { 'x-amz-copy-source': source },
        allow: [404],
      })
      return answer.status === 404 ? null : head(to)
    },
    async delete(key) {
      await requests.send('DELETE', urlOf(key), { allow: [404] })
    },
    async deleteFolder(folder) {
      requireFolder(folder)
      let deleted = 0
      for (let keys = await keysBelow(folder); keys.length > 0; keys = await keysBelow(folder)) {
        for (let index = 0; index < keys.length; index += deletesAtOnce) {
          const some = keys.slice(index, index + deletesAtOnce)
          await Promise.all(some.map((key) => requests.send('DELETE', urlOf(key), { allow: [404] })))
        }
        deleted += keys.length
      }
      return deleted
    },
    async signedUploadUrl(key, { contentType, size, expiresInSeconds }) {
      const headers = { 'content-type': contentType, 'content-length': String(size) }
      const signed = await presigner.sign(
        withQuery(urlOf(key), { 'X-Amz-Expires': String(expiresInSeconds) }),
        {
          method: 'PUT',
          headers,
          // The two headers are signed: the store refuses another type and another length.
          aws: { signQuery: true, allHeaders: true },
        },
      )
      return {
        url: signed.url,
        method: 'PUT',
        headers: { 'Content-Type': contentType },
        expiresAt: new Date(Date.now() + expiresInSeconds * 1_000),
      }
    },
    async signedDownloadUrl(key, { fileName, expiresInSeconds }) {
      const url = withQuery(urlOf(key), {
        'X-Amz-Expires': String(expiresInSeconds),
        'response-content-disposition': attachment(fileName),
        'response-content-type': 'application/octet-stream',
      })
      return (await presigner.sign(url, { method: 'GET', aws: { signQuery: true } })).url
    },
    async sweep() {
      const answer = await requests.send('GET', `${base}?uploads`)
      const text = await answer.text()
      const [keys, ids, dates] = ['Key', 'UploadId', 'Initiated'].map((name) => xmlTexts(text, name))
      const old = (dates ?? []).flatMap((date, index) =>
        Date.parse(date) < Date.now() - oldestUpload ? [index] : [],
      )
      for (const index of old) {
        const url = withQuery(urlOf(keys?.[index] ?? ''), { uploadId: ids?.[index] ?? '' })
        await requests.send('DELETE', url, { allow: [404] })
      }
      return old.length
    },
  }
}

/** Uploads in parts, so that the content needs no known length. Returns the bytes. A failure leaves no part. */
async function putInParts(
  requests: S3Requests,
  url: string,
  headers: Readonly<Record<string, string>>,
  parts: AsyncIterable<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const begun = await requests.send('POST', `${url}?uploads`, { headers, signal })
  const [uploadId = ''] = xmlTexts(await begun.text(), 'UploadId')
  const tags: string[] = []
  let size = 0
  try {
    for await (const body of parts) {
      const part = withQuery(url, { partNumber: String(tags.length + 1), uploadId })
      const answer = await requests.send('PUT', part, { body, signal })
      tags.push(answer.headers.get('etag') ?? '')
      size += body.length
    }
    const list = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    )
    const body = new TextEncoder().encode(
      `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`,
    )
    const done = await (await requests.send('POST', withQuery(url, { uploadId }), { body, signal })).text()
    // S3 may find a fault after it has begun to answer with 200.
    if (done.includes('<Error>')) throw new Error(`the file store refused: ${xmlTexts(done, 'Code').join()}`)
    return size
  } catch (error) {
    await requests.send('DELETE', withQuery(url, { uploadId }), { allow: [404] }).catch(() => undefined)
    throw error
  }
}

async function* resumed(
  read: readonly Uint8Array<ArrayBuffer>[],
  rest: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield* read
  yield* rest
}

function headOf({ headers }: Response): FileHead {
  const whole = headers.get('content-range')?.split('/')[1]
  return {
    size: Number(whole ?? headers.get('content-length') ?? 0),
    contentType: headers.get('content-type') ?? '',
  }
}

const withQuery = (url: string, parameters: Readonly<Record<string, string>>): string =>
  `${url}?${new URLSearchParams(parameters).toString().replaceAll('+', '%20')}`
