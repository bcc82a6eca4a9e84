import type { IncomingMessage } from 'node:http'
import { HasuraError } from '../hasura-error.ts'

/**
 * The body of a request as text. Throws HasuraError when it is longer than `maxBytes`: the rest is not read,
 * and the connection is closed with the answer.
 */
export const readBody = async (request: IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw new HasuraError('bad-request', `the request body is larger than ${maxBytes} bytes`, {
        status: 413,
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Throws HasuraError `invalid-json`. */
export const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new HasuraError('invalid-json', error instanceof Error ? error.message : 'invalid JSON')
  }
}
