import type { IncomingMessage } from 'node:http'
import { HasuraError } from '../hasura-error.ts'

/**
 * The body of a request as text. Rejects with HasuraError when it is longer than `maxBytes`; the rest is not read, and
 * the connection is closed with the answer. It listens to the stream's events, because iterating would cost a promise
 * per chunk on the hot path.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let complete = false
    const stop = (error: Error): void => {
      request.pause()
      request.removeListener('data', take)
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > maxBytes) stop(tooLong(maxBytes))
      else chunks.push(chunk)
    }
    request.on('data', take)
    request.once('end', () => {
      complete = true
      const [first] = chunks
      resolve((chunks.length === 1 && first ? first : Buffer.concat(chunks)).toString('utf8'))
    })
    request.once('error', stop)
    // Every request emits `close`; the error with its stack is created only for a body that wasn't read to its end.
    request.once('close', () => {
      if (!complete) stop(new Error('the client has gone'))
    })
  })

const tooLong = (maxBytes: number): HasuraError =>
  new HasuraError('bad-request', `the request body is larger than ${maxBytes} bytes`, { status: 413 })

/**
 * Parses a JSON body. Throws HasuraError `invalid-json`. Numbers of metadata are JavaScript's; where they are values of rows,
 * `parse` keeps their digits.
 */
export function parseBody(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new HasuraError('invalid-json', error instanceof Error ? error.message : 'invalid JSON')
  }
}
