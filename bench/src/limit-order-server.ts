/**
 * The limits that the benchmark of orders compares with: node:http and one statement for an order, by the functions in
 * limits/orders. No authentication, no parsing of GraphQL, no check of the arguments. Run as a process of its own:
 *   DATABASE_URL=… POOL_SIZE=20 node limit-order-server.ts    (prints its URL; orders go to /place_bare or /place_promised)
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
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

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: POOL_SIZE })

async function place(request: IncomingMessage): Promise<string> {
  const name = request.url === '/place_bare' ? 'place_bare' : 'place_promised'
  const order = (await json(request)) as LimitOrder
  const { rows } = await pool.query<{ id: string }>({
    name,
    text: `SELECT order_limit.${name}($1, $2, $3, $4, $5) AS id`,
    values: [order.merchantId, order.customerId, order.productIds, order.quantities, order.key],
  })
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
