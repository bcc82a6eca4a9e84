import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createHasuraApi } from '../src/hasura-api.ts'

/** An engine that keeps each request; `next` is the response of the next one. */
async function silentEngine() {
  const waiting: ServerResponse[] = []
  const server = createServer((_, response) => {
    waiting.push(response)
    server.emit('kept')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const next = async (): Promise<ServerResponse> => {
    if (waiting.length === 0) await once(server, 'kept')
    const [response] = waiting.splice(0, 1)
    if (response === undefined) throw new Error('no request was kept')
    return response
  }
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, next }
}

test('SQL may run longer than a change of metadata, which is given up after its own time', async () => {
  const { endpoint, next } = await silentEngine()
  const api = createHasuraApi({ endpoint, adminSecret: undefined }, { metadata: 20, sql: 60_000 })
  const backfill = api.runSql('default', 'update product set rank = 1')
  const response = await next()
  await expect(api.metadata({ type: 'export_metadata', args: {} })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${endpoint}: it has not answered within 0.02 seconds`) as string,
  })
  response.end('{"result_type":"CommandOk","result":null}')
  expect(await backfill).toEqual({ result_type: 'CommandOk', result: null })
})

test('SQL that is given up may still run, and the error says so', async () => {
  const { endpoint } = await silentEngine()
  const api = createHasuraApi({ endpoint, adminSecret: undefined }, { metadata: 20, sql: 20 })
  await expect(api.runSql('default', 'select 1')).rejects.toThrow(/may still do .* run the command again/)
})

test('a connection that ends without an answer is an engine that is not there', async () => {
  const { endpoint, next } = await silentEngine()
  const api = createHasuraApi({ endpoint, adminSecret: undefined })
  const lost = expect(api.runSql('default', 'select 1')).rejects.toMatchObject({ code: 'unavailable' })
  ;(await next()).destroy()
  await lost
})
