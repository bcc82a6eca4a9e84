/**
 * PostGraphile 5 over the engine's shop, as its documentation sets it up. Run as a process of its own:
 *   DATABASE_URL=… POOL_SIZE=20 node serve-postgraphile.ts    (prints its URL)
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['POOL_SIZE']),
})

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // The plugin allows filters and orders only by the first column of an index; the shop's index has four columns.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ pool, schemas: ['public'] })],
  grafserv: { graphiql: false, watch: false, graphqlPath: '/graphql' },
  grafast: { explain: false },
})

const server = createServer()
const handler = instance.createServ(grafserv)
await handler.addTo(server)
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`)
})
