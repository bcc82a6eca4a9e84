import type { Principal } from '@commerce-graph/auth-webhook'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { type CatalogueError, invalidFormat } from '@commerce-graph/contract/errors'

/**
 * The permissions of keys that send requests for other clients: a shop's own server, which signs shoppers or users
 * in.
 */
const speakingPermissions = ['customer_sessions:write', 'user_sessions:write']

export type EndClient =
  | {
      readonly kind: 'client'
      /** Its address; undefined where a shop's server doesn't tell it. */
      readonly address: string | undefined
      /** The client's name for its device; undefined if the shop's server sends none. */
      readonly device: string | undefined
    }
  | { readonly kind: 'refused'; readonly error: CatalogueError }

/**
 * The client of the person who acts. For a key that signs people in that is what the shop's server says in `X-Client-Address` and
 * `X-Client-User-Agent`: the address that the request itself comes from is the server's, and all of the shop's people would be one. For all others it is the
 * request's own address, whatever the header says.
 */
export function endClientOf(
  principal: Principal,
  { headers }: Pick<IncomingMessage, 'headers'>,
  clientAddress: string | null,
): EndClient {
  const speaks =
    principal.kind === 'key' && speakingPermissions.some((name) => principal.permissions.has(name))
  if (!speaks)
    return { kind: 'client', address: clientAddress ?? undefined, device: named(headers['user-agent']) }
  const { 'x-client-address': said, 'x-client-user-agent': userAgent } = headers
  const device = named(userAgent)
  if (said === undefined) return { kind: 'client', address: undefined, device }
  const address = String(said).trim()
  if (isIP(address) === 0)
    return { kind: 'refused', error: invalidFormat('X-Client-Address', 'IPv4 or IPv6 address') }
  return { kind: 'client', address, device }
}

/**
 * The address of the visitor for whom a shop's server renders a page or sends a request. It is named in `X-Client-Address` by a key that signs
 * shoppers in. Undefined for other callers, and for an address that `endClientOf` refuses.
 */
export function buyerOf(
  principal: Principal,
  { headers }: Pick<IncomingMessage, 'headers'>,
): string | undefined {
  if (principal.kind !== 'key' || !principal.permissions.has('customer_sessions:write')) return undefined
  const address = String(headers['x-client-address'] ?? '').trim()
  return isIP(address) === 0 ? undefined : address
}

/** As much of it as a session keeps. */
const maxDevice = 500

const named = (userAgent: string | readonly string[] | undefined): string | undefined =>
  String(userAgent ?? '')
    .trim()
    .slice(0, maxDevice) || undefined
