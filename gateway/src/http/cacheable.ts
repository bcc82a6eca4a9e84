import type { Principal } from '@commerce-graph/auth-webhook'
import { type CatalogueError, syntaxError, withStatus } from '@commerce-graph/contract/errors'
import { OperationTypeNode } from 'graphql'
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Answer } from './server.ts'

/**
 * Why the request may not come by GET; null if it may. Browsers and CDNs keep what a GET answers and repeat it as they like: so it
 * only reads, and only what every visitor of the storefront sees.
 */
export function faultOfGet(principal: Principal, kind: OperationTypeNode): CatalogueError | null {
  const reason =
    principal.kind !== 'guest'
      ? 'GET is for publishable keys: send a POST'
      : kind !== OperationTypeNode.QUERY
        ? `GET is for queries: send a ${kind} by POST`
        : null
  return reason === null ? null : withStatus(syntaxError(reason, 'method'), 405)
}

/**
 * The answer to a GET of `faultOfGet`'s conditions, with what caches need: how long the merchant lets them keep it, and a tag by which they ask whether it has
 * changed; then 304 says that it hasn't.
 */
export function cacheable(answer: Answer, request: IncomingMessage, principal: Principal): Answer {
  // An error may be gone with the next request, and a cart is one visitor's.
  if (answer.status !== 200 || answer.hasErrors === true || request.headers['x-cart-secret'] !== undefined)
    return answer
  // Weak: the same answer has other bytes when it is compressed.
  const etag = `W/"${createHash('sha256').update(answer.body).digest('base64url').slice(0, 27)}"`
  const maxAge = principal.kind === 'guest' ? principal.maxAge : 0
  const headers = {
    ...answer.headers,
    etag,
    'cache-control': maxAge === 0 ? 'public, no-cache' : `public, max-age=${maxAge}`,
    vary: 'Authorization, Origin, Accept, Accept-Encoding, X-Cart-Secret, X-Complexity',
  }
  return isKnown(request.headers['if-none-match'], etag)
    ? { status: 304, body: '', headers }
    : { ...answer, headers }
}

const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((known) => known.trim() === '*' || known.trim() === etag)
