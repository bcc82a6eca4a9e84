import { networkOf } from '@commerce-graph/http-server'
import type { IncomingMessage } from 'node:http'
import { createForwarder, type Forward } from './forward-webhook.ts'

export interface SignUpTarget {
  /** The actions' URL, and the secret that they know the gateway by. */
  readonly url: string
  readonly secret: string
}

/** Forwards requests for a shop, with the client's address, which bounds them. */
export const createSignUpForwarder = (
  { url, secret }: SignUpTarget,
  addressOf: (request: IncomingMessage) => string | undefined,
): Forward =>
  createForwarder(url, (request) => {
    const address = addressOf(request)
    const network = networkOf(address)
    return {
      'content-type': 'application/json',
      'x-actions-secret': secret,
      ...(address !== undefined && { 'x-client-address': address }),
      ...(network !== undefined && { 'x-client-network': network }),
    }
  })

export const isSignUpPath = (path: string | undefined): boolean =>
  path === '/sign-up' || path === '/sign-up/confirm'
