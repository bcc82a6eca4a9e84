import { createRequestHandler } from '@react-router/express'
import compression from 'compression'
import express from 'express'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ServerBuild } from 'react-router'

// Everything that this server is told, by variables of the environment. app/shop/settings.server.ts reads those of the shop.
const port = Number(process.env['PORT'] ?? 3000)
const host = process.env['HOST'] ?? '127.0.0.1'

const here = import.meta.dirname
const built = (await import(join(here, 'build/server/index.js'))) as ServerBuild

const app = express().disable('x-powered-by')
// Behind a proxy of your own, the visitor's address is what that proxy says: TRUST_PROXY=loopback, or its network.
app.set('trust proxy', process.env['TRUST_PROXY'] ?? false)
app.use(compression())
// Built files have their content in their names, so they never change.
app.use(
  '/assets',
  express.static(join(here, 'build/client/assets'), { immutable: true, maxAge: '1y', index: false }),
)
app.use(express.static(join(here, 'build/client'), { maxAge: '1h', index: false }))
app.use((request, _response, next) => {
  // The shop counts requests by visitor, not by this server: app/shop/server-shop.server.ts passes it on.
  request.headers['x-visitor-address'] = request.ip
  next()
})
app.use(createRequestHandler({ build: built, mode: 'production' }))

const server = app.listen(port, host)
server.requestTimeout = 30_000
server.headersTimeout = 10_000
await once(server, 'listening').catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException
  console.error(code === 'EADDRINUSE' ? `Port ${port} is taken: choose another one.` : message)
  process.exit(1)
})
const { port: taken } = server.address() as AddressInfo
console.log(`The storefront is at http://localhost:${taken}`)

function stop(): void {
  server.close(() => process.exit(0))
  server.closeAllConnections()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
