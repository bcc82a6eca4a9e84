/**
 * The limit that the benchmark compares with: node:http, one prepared statement, and its JSON as the answer.
 * No authentication, no parsing, no choice. Run as a process of its own:
 *   BARE_STATEMENT='{"databaseUrl","field","text","values","poolSize"}' node bare-server.ts    (prints its URL)
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { z } from 'zod'

const statement = z
  .object({
    databaseUrl: z.string(),
    field: z.string(),
    text: z.string(),
    values: z.array(z.union([z.string(), z.null()])),
    poolSize: z.number(),
  })
  .parse(JSON.parse(process.env['BARE_STATEMENT'] ?? '{}'))

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig
const pool = new pg.Pool({
  connectionString: statement.databaseUrl,
  max: statement.poolSize,
  // The engine's pool has the same option: Postgres plans a statement once for a connection.
  options: '-c plan_cache_mode=force_generic_plan',
})

const server = createServer((request, response) => {
  request.resume()
  pool
    .query({
      name: statement.field,
      text: statement.text,
      values: statement.values,
      rowMode: 'array',
      types: asText,
    })
    .then(
      (result) => {
        const rows = result.rows as unknown as readonly (readonly string[])[]
        const body = `{"data":{"${statement.field}":${rows[0]?.[0] ?? 'null'}}}`
        response.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
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
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})
process.once('SIGTERM', () => {
  server.close(() => void pool.end())
  server.closeAllConnections()
})
