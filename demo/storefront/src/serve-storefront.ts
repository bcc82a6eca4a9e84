import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import express from 'express'

/** Everything that the pages know about the shop. */
export interface ShopAddress {
  /** The contract's endpoint, `http://…/graphql`. */
  readonly url: string
  /** A publishable key, `cg_pub_…`, that is bound to the origin of the pages. */
  readonly key: string
}

export interface Storefront {
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves the pages on this machine, and `config.json` with the shop's address. Rejects with the error of the operating
 * system if the port is taken. Port 0 takes a free one.
 */
export async function serveStorefront(shop: ShopAddress, port: number): Promise<Storefront> {
  const app = express().disable('x-powered-by')
  app.use((_request, response, next) => {
    response.set('Content-Security-Policy', policyFor(shop.url))
    next()
  })
  app.get('/config.json', (_request, response) => void response.json(shop))
  app.use(express.static(path.join(import.meta.dirname, '../pages')))
  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** The pages load nothing from elsewhere but the products' images, and call only the shop. */
function policyFor(url: string): string {
  const { origin } = new URL(url)
  return [
    "default-src 'self'",
    `connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}`,
    'img-src https: http: data:',
    "frame-ancestors 'none'",
  ].join('; ')
}
