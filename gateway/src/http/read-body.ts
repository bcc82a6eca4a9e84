import type { IncomingMessage } from 'node:http'
import { catalogueError, type CatalogueError, syntaxError, withStatus } from '@commerce-graph/contract/errors'
import type { Limits } from '../limits/limits.ts'

export type Body =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly error: CatalogueError }
  /** The client went away; no answer can be sent. */
  | { readonly kind: 'aborted' }

/** Reads a request's body, never more of it nor longer than the limits allow. */
export function readBody(
  request: IncomingMessage,
  { bodyBytes, receiveMilliseconds }: Pick<Limits, 'bodyBytes' | 'receiveMilliseconds'>,
): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > bodyBytes) {
    return Promise.resolve({
      kind: 'refused',
      error: tooLarge(Number(request.headers['content-length']), bodyBytes),
    })
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (body: Body) => {
      clearTimeout(timer)
      request.off('data', onData)
      resolve(body)
    }
    const timer = setTimeout(() => {
      const late = syntaxError(`The body did not arrive within ${receiveMilliseconds} ms`, 'body')
      settle({ kind: 'refused', error: withStatus(late, 408) })
    }, receiveMilliseconds)
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyBytes) settle({ kind: 'refused', error: tooLarge(size, bodyBytes) })
      else chunks.push(chunk)
    }
    request.on('data', onData)
    request.once('end', () =>
      settle({ kind: 'body', bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }),
    )
    request.once('error', () => settle({ kind: 'aborted' }))
    request.once('close', () => settle({ kind: 'aborted' }))
  })
}

const tooLarge = (value: number, max: number): CatalogueError =>
  catalogueError(
    'SVC_VAL_003',
    { value, min: 1, max },
    { field: 'body', reason: `At most ${max} bytes are allowed` },
  )
