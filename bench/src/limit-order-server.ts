/**
 * The limits that the benchmark of orders compares with: node:http and one statement for an order, by the functions in
 * limits/orders. No authentication, no parsing of GraphQL, no check of the arguments. Run as a process of its own:
 *   DATABASE_URL=… POOL_SIZE=20 node limit-order-server.ts    (prints its URL; orders go to /bare, /promised and
 *                                                              /promised-disk-after)
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { SharedStatement } from '@commerce-graph/postgres-driver/shared-statement'
import pg from 'pg'
import { z } from 'zod'

const { DATABASE_URL, POOL_SIZE } = z
  .object({ DATABASE_URL: z.string(), POOL_SIZE: z.coerce.number() })
  .parse(process.env)

export interface LimitOrder {
  readonly merchantId: string
  readonly customerId: string
  readonly productIds: readonly string[]
  readonly quantities: readonly number[]
  readonly key: string
}

const statements = {
  '/bare': 'SELECT order_limit.place_bare($1, $2, $3, $4, $5) AS id',
  '/promised': 'SELECT order_limit.place_promised($1, $2, $3, $4, $5) AS id',
  // The commit doesn't wait for the disk. The answer does, with all that were committed meanwhile.
  '/promised-disk-after': `
    SELECT order_limit.place_promised($1, $2, $3, $4, $5) AS id
    FROM (SELECT set_config('synchronous_commit', 'off', TRUE) OFFSET 0) s`,
}

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: POOL_SIZE })
const flush = new SharedStatement(() =>
  pool.query({ name: 'flush', text: "SELECT pg_logical_emit_message(TRUE, 'limit', '')" }),
)

const isLimit = (path: string | undefined): path is keyof typeof statements =>
  path !== undefined && path in statements

async function place(request: IncomingMessage): Promise<string> {
  const { url } = request
  if (!isLimit(url)) throw new Error(`there is no limit ${url}`)
  const order = (await json(request)) as LimitOrder
  const { rows } = await pool.query<{ id: string }>({
    name: url,
    text: statements[url],
    values: [order.merchantId, order.customerId, order.productIds, order.quantities, order.key],
  })
  if (url === '/promised-disk-after') await flush.for(undefined)
  return JSON.stringify({ data: { createOrder: rows[0] } })
}

const server = createServer((request, response) => {
  place(request).then(
    (body) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    },
    (error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    },
  )
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => {
  server.close(() => void pool.end())
  server.closeAllConnections()
})
