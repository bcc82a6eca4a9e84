import type { IncomingMessage } from 'node:http'
import type { FileRefusal } from './file-refusal.ts'
import type { FileStorage } from './file-storage.ts'

/** The file that a signed URL permits. */
export interface Upload {
  readonly key: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

/** Milliseconds in which a client that sends has to send something. */
const idleTimeout = 30_000
/** Milliseconds for all of it. The server has to allow as much. */
export const uploadTimeout = 15 * 60_000

/** Stores an upload of exactly this size and type, or nothing. `gone`: the client has left. */
export async function receiveUpload(
  storage: FileStorage,
  request: IncomingMessage,
  { key, contentType, size }: Upload,
): Promise<FileRefusal | 'gone' | null> {
  const { 'content-type': type, 'content-length': length } = request.headers
  if (type !== contentType)
    return { status: 415, field: 'Content-Type', reason: `The URL takes ${contentType}` }
  if (length !== undefined && Number(length) !== size) return wrongSize(size)
  // The iterator leaves the connection open, so that a refusal can be sent.
  const bound = new AbortController()
  const stop = (): void => bound.abort()
  const timer = setTimeout(stop, uploadTimeout)
  request.setTimeout(idleTimeout, stop)
  try {
    await storage.put(key, exactly(request.iterator({ destroyOnReturn: false }), size), {
      contentType,
      signal: bound.signal,
    })
    return null
  } catch (error) {
    if (error instanceof WrongSize) return wrongSize(size)
    if (bound.signal.aborted)
      return { status: 408, field: 'body', reason: `The file did not arrive within ${uploadTimeout} ms` }
    if (request.destroyed && !request.complete) return 'gone'
    throw error
  } finally {
    clearTimeout(timer)
    request.setTimeout(0)
  }
}

class WrongSize extends Error {}

async function* exactly(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of content) {
    seen += chunk.length
    if (seen > size) throw new WrongSize()
    yield chunk
  }
  if (seen < size) throw new WrongSize()
}

const wrongSize = (size: number): FileRefusal => ({
  status: 413,
  field: 'body',
  reason: `The URL takes a file of exactly ${size} bytes`,
})
