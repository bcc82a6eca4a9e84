import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import parseRange from 'range-parser'
import { isFileKey, isPublicKey } from './file-key.ts'
import type { FileRefusal } from './file-refusal.ts'
import type { ByteRange, FileStorage } from './file-storage.ts'
import { receiveUpload, type Upload } from './receive-upload.ts'
import { servedAs, shownTypes } from './served-as.ts'
import { checkSignature, type UrlSigner } from './signed-urls.ts'

export interface ServeFilesOptions {
  readonly storage: FileStorage
  /** Of a folder's signed URLs; null if the storage has URLs of its own. */
  readonly signer: UrlSigner | null
}

/** Answers a request below `/files/`. Returns a refusal for the caller to send, and null after an answer. */
export type FilesRoute = (request: IncomingMessage, response: ServerResponse) => Promise<FileRefusal | null>

/** Seconds. A key is written once, so its content never changes. */
const publicMaxAge = 365 * 24 * 60 * 60
/** Milliseconds in which a client that receives has to take something. */
const idleTimeout = 30_000
/** Bytes that it takes in a second at least, over the whole of a file. */
const slowestRate = 20_000
/** Requests that are answered at the same time; each holds a file and some buffers. */
const maxAtOnce = 256

/**
 * Serves `/files/<key>`: uploads and downloads with a signed URL, and public images without one. Nothing is served as a
 * page or script: the type is one of `shownTypes`, or bytes to save.
 */
export function serveFiles({ storage, signer }: ServeFilesOptions): FilesRoute {
  let underWay = 0
  return async (request, response) => {
    if (underWay >= maxAtOnce) return { status: 503, field: 'path', reason: 'Send it again later' }
    underWay += 1
    try {
      return await answer(request, response)
    } finally {
      underWay -= 1
    }
  }

  function answer(request: IncomingMessage, response: ServerResponse): Promise<FileRefusal | null> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://files')
    const key = pathname.replace(/^\/files\//, '')
    switch (request.method) {
      case 'OPTIONS':
        response.writeHead(204, preflight).end()
        return Promise.resolve(null)
      case 'PUT':
        return upload(request, response, key, searchParams)
      case 'GET':
      case 'HEAD':
        return download(request, response, key, searchParams)
      default:
        return Promise.resolve({ status: 405, field: 'method', reason: 'Send a GET, HEAD or PUT' })
    }
  }

  /** The refusal of a URL that isn't signed for this, or no longer. */
  function signatureRefusal(method: 'GET' | 'PUT', key: string, query: URLSearchParams): FileRefusal | null {
    if (signer === null || !isFileKey(key)) return notFound
    const finding = checkSignature(signer, { method, key }, query, Date.now())
    switch (finding) {
      case 'valid':
        return null
      case 'expired':
        return { status: 403, field: 'expires', reason: 'The URL has expired: request another one' }
      case 'forged':
        return notFound
      default:
        return finding satisfies never
    }
  }

  async function upload(
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    query: URLSearchParams,
  ): Promise<FileRefusal | null> {
    const refusal = signatureRefusal('PUT', key, query)
    if (refusal !== null) return refusal
    const expected: Upload = { key, contentType: query.get('type') ?? '', size: Number(query.get('size')) }
    const fault = await receiveUpload(storage, request, expected)
    if (fault === null) response.writeHead(200, { 'content-length': 0 }).end()
    return fault === 'gone' ? null : fault
  }

  async function download(
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    query: URLSearchParams,
  ): Promise<FileRefusal | null> {
    const open = isFileKey(key) && isPublicKey(key) && !query.has('signature')
    const refusal = open ? null : signatureRefusal('GET', key, query)
    if (refusal !== null) return refusal
    const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
    const caching = {
      etag,
      'cache-control': open ? `public, max-age=${publicMaxAge}, immutable` : 'private, no-store',
    }
    const found = await storage.head(key)
    if (found === null || (open && !shownTypes.includes(found.contentType))) return notFound
    if (request.headers['if-none-match']?.includes(etag) === true) {
      response.writeHead(304, caching).end()
      return null
    }
    const range = rangeOf(request, etag, found.size)
    if (range === 'none') {
      response.setHeader('content-range', `bytes */${found.size}`)
      return { status: 416, field: 'Range', reason: `The file has ${found.size} bytes` }
    }
    const headers = {
      ...caching,
      ...servedAs(found.contentType, open ? null : query.get('name')),
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
      'content-length': range === null ? found.size : range.end - range.start + 1,
      ...(range !== null && { 'content-range': `bytes ${range.start}-${range.end}/${found.size}` }),
    }
    if (request.method === 'HEAD') {
      response.writeHead(200, headers).end()
      return null
    }
    const file = await storage.get(key, range === null ? {} : { range })
    if (file === null) return notFound
    response.writeHead(range === null ? 200 : 206, headers)
    // A client that leaves, or takes too long, needs no answer.
    response.setTimeout(idleTimeout, () => response.destroy())
    const longest = idleTimeout + (headers['content-length'] / slowestRate) * 1_000
    const signal = AbortSignal.timeout(Math.round(longest))
    await pipeline(file.content, response, { signal }).catch(() => response.destroy())
    return null
  }
}

/** Also the answer to a wrong signature, so that an answer doesn't tell whether a private file exists. */
const notFound: FileRefusal = { status: 404, field: 'path', reason: 'There is no file at this URL' }

const preflight = {
  'access-control-allow-methods': 'GET, HEAD, PUT',
  'access-control-allow-headers': 'content-type, range, if-none-match, x-request-id',
  'access-control-max-age': '86400',
}

/** The range that a client asks for; null for the whole file, `none` for one that the file doesn't have. */
function rangeOf({ headers }: IncomingMessage, etag: string, size: number): ByteRange | null | 'none' {
  const { range, 'if-range': ifRange } = headers
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return null
  const ranges = parseRange(size, range)
  if (ranges === -1) return 'none'
  const [only, ...others] = ranges === -2 ? [] : ranges
  // Several ranges would need another kind of answer; the whole file is a valid one.
  return only === undefined || others.length > 0 ? null : { start: only.start, end: only.end }
}
