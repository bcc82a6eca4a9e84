import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTokenIssuer, type TokenIssuer } from '@commerce-graph/access-tokens'
import type { FileStorage } from '@commerce-graph/file-storage'
import { temporaryStorage } from '@commerce-graph/file-storage/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../../testing/test-shop.ts'
import type { ExportOptions } from './export-job.ts'
import { purgeExports, runExports } from './run-exports.ts'

interface Disturbance {
  readonly status: number
  readonly body?: unknown
}

/** A contract whose orders are the numbers from 1 to `rows`, `perPage` in each page. */
interface Contract {
  rows: number
  /** Answers instead of a page, by the number of the request; undefined is a page, and a status of 0 no answer at all. */
  disturb: (request: number) => Disturbance | undefined | Promise<undefined>
  requests: number
}

let shop: TestShop
let merchant: TestMerchant
let tokenIssuer: TokenIssuer
let server: Server
let graphqlUrl: string
const contract: Contract = { rows: 0, disturb: () => undefined, requests: 0 }

beforeAll(async () => {
  shop = await openTestShop()
  tokenIssuer = createTokenIssuer(shop)
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      contract.requests += 1
      void answer(text, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  graphqlUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await tokenIssuer.close()
  await shop.close()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
  Object.assign(contract, { rows: 0, requests: 0, disturb: () => undefined })
})

async function answer(text: string, response: ServerResponse): Promise<void> {
  const disturbance = await contract.disturb(contract.requests)
  const { status, body } = disturbance ?? { status: 200, body: pageFor(text) }
  if (status === 0) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
}

function pageFor(body: string): unknown {
  const { variables } = JSON.parse(body) as { variables: { first: number; after: string | null } }
  const from = Number(variables.after ?? 0)
  const to = Math.min(from + variables.first, contract.rows)
  const nodes = Array.from({ length: to - from }, (_, index) => ({ id: from + index + 1, note: '=1+1' }))
  const pageInfo = { hasNextPage: to < contract.rows, endCursor: String(to) }
  return { data: { rows: { totalCount: contract.rows, pageInfo, nodes } } }
}

async function begin(columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const row = {
    merchant_id: merchant.merchantId,
    kind: 'QUERY',
    format: 'JSON_LINES',
    query: '{ orders { nodes { id note: notes } } }',
    page_size: 10,
    holder_kind: 'KEY',
    holder_id: merchant.customerId,
    permissions: ['orders:read'],
    ...columns,
  }
  const [made] = await shop.database<{ id: string }[]>`
    INSERT INTO bulk.export ${shop.database(row)} RETURNING id`
  return found(made).id
}

const run = (options: Partial<ExportOptions> = {}) =>
  runExports({ database: shop.database, files: shop.files, tokenIssuer, graphqlUrl, ...options })

async function stateOf(id: string) {
  const [row] = await shop.database<
    {
      status: string
      rows: number
      total: number | null
      failure: string | null
      parts: number
      attempts: number
    }[]
  >`SELECT status, rows, total_rows AS total, failure, parts, attempts FROM bulk.export WHERE id = ${id}`
  return found(row)
}

async function fileOf(id: string, files: FileStorage = shop.files): Promise<string> {
  const [row] = await shop.database<{ url: string | null }[]>`SELECT url FROM bulk.export WHERE id = ${id}`
  const { pathname } = new URL(String(row?.url))
  const key = pathname.slice(pathname.indexOf(merchant.merchantId))
  const file = await files.get(key)
  if (file === null) throw new Error('there is no file')
  let text = ''
  for await (const chunk of file.content as AsyncIterable<Buffer>) text += chunk.toString()
  return text
}

const numbers = (content: string): readonly number[] =>
  content
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { id: number }).id)

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('an export', () => {
  test('has every row once when its worker dies before, in and after each step', async () => {
    contract.rows = 47
    // Deaths: at the third page; when a part is stored and not recorded; when the file is whole and not recorded.
    for (const death of ['page', 'part', 'file'] as const) {
      contract.requests = 0
      const id = await begin()
      let puts = 0
      const dying = new Proxy(shop.files, {
        get(files, name: keyof FileStorage) {
          if (name !== 'put') return files[name].bind(files)
          return async (...args: Parameters<FileStorage['put']>) => {
            puts += 1
            const head = await files.put(...args)
            if ((death === 'part' && puts === 2) || (death === 'file' && !args[0].includes('/parts/')))
              await new Promise(() => undefined)
            return head
          }
        },
      })
      contract.disturb = (request) => {
        if (death !== 'page' || request !== 3) return undefined
        return { status: 0 }
      }
      const dead = run({ files: dying, partBytes: 1 })
      dead.catch(() => undefined)
      const reached = async () => {
        const { parts } = await stateOf(id)
        return { page: contract.requests >= 3, part: puts >= 2, file: parts === 5 }[death]
      }
      await expect.poll(reached, { timeout: 10_000, interval: 10 }).toBe(true)
      contract.disturb = () => undefined
      // The lease of a dead worker ends; nothing that the worker still did counts.
      await expect
        .poll(
          async () => {
            await shop.database`UPDATE bulk.export SET claimed_until = now() - interval '1 second' WHERE id = ${id}`
            await run()
            return (await stateOf(id)).status
          },
          { timeout: 10_000, interval: 20 },
        )
        .toBe('SUCCEEDED')
      expect(await stateOf(id)).toMatchObject({ rows: 47, total: 47, failure: null })
      expect(numbers(await fileOf(id))).toEqual(upTo(47))
    }
  })

  test('goes on in its next turn, after others of its merchant', async () => {
    contract.rows = 30
    const ids = [await begin(), await begin()]
    await run({ turn: 1 })
    const afterOne = await Promise.all(ids.map(stateOf))
    expect(afterOne.map(({ rows }) => rows)).toEqual([10, 0])
    for (let turn = 0; turn < 10; turn += 1) await run({ turn: 1 })
    for (const id of ids) expect(numbers(await fileOf(id))).toEqual(upTo(30))
  })

  test('tries a failed page again, later, and keeps what it has', async () => {
    contract.rows = 25
    const id = await begin()
    contract.disturb = (request) => (request === 2 ? { status: 503 } : undefined)
    await run()
    expect(await stateOf(id)).toMatchObject({ status: 'RUNNING', rows: 10, attempts: 1 })
    await run()
    expect(contract.requests).toBe(2)
    await shop.database`UPDATE bulk.export SET claimed_until = now() WHERE id = ${id}`
    await run()
    expect(numbers(await fileOf(id))).toEqual(upTo(25))
  })

  test('ends when the contract refuses its caller, or cuts a list short', async () => {
    contract.rows = 25
    const error = { message: 'The API key is invalid', extensions: { id: 'SVC_AUTH_001' } }
    const shortened = {
      ...(pageFor('{"variables":{"first":1,"after":null}}') as object),
      extensions: { shortenedLists: [{ path: ['rows', 'nodes', 0, 'items'], max: 250 }] },
    }
    for (const [body, reason] of [
      [{ errors: [error] }, 'The API key is invalid'],
      [shortened, 'more than 250 items'],
    ] as const) {
      const id = await begin()
      contract.disturb = () => ({ status: 200, body })
      await run()
      expect(await stateOf(id)).toMatchObject({
        status: 'FAILED',
        failure: expect.stringContaining(reason) as string,
      })
    }
  })

  test('is cancelled under its worker, which writes no more', async () => {
    contract.rows = 50
    const id = await begin()
    contract.disturb = async (request) => {
      if (request === 2)
        await shop.database`UPDATE bulk.export SET status = 'CANCELLED', claim = NULL, finished_at = now() WHERE id = ${id}`
      return undefined
    }
    await run({ partBytes: 1 })
    expect((await stateOf(id)).status).toBe('CANCELLED')
    expect(contract.requests).toBeLessThan(5)
  })

  test('and its file are deleted when it expires', async () => {
    contract.rows = 3
    const { storage, remove } = temporaryStorage()
    const id = await begin()
    await run({ files: storage })
    expect(numbers(await fileOf(id, storage))).toEqual([1, 2, 3])
    await shop.database`UPDATE bulk.export SET expires_at = now() WHERE id = ${id}`
    expect(await purgeExports(shop.database, storage)).toBeGreaterThan(0)
    expect(await storage.deleteFolder(`${merchant.merchantId}/private/exports/${id}`)).toBe(0)
    expect(await shop.database`SELECT FROM bulk.export WHERE id = ${id}`).toEqual([])
    await remove()
  })

  test('of CSV without a row is its header', async () => {
    const id = await begin({ format: 'CSV' })
    await run()
    expect(await fileOf(id)).toBe('id,note\r\n')
  })
})

test('ten exports of a merchant may be under way, and a shopper has three a day', async () => {
  const { customerId } = merchant
  const call = (options = {}) => shop.call(merchant, 'exportCustomerData', { customerId }, options)
  for (let made = 0; made < 10; made += 1) dataOf(await call())
  expect(await call()).toMatchObject({
    errors: [{ message: expect.stringContaining('10 exports have not ended') as string }],
  })
  const own = { session: shopper(merchant, customerId) }
  for (let made = 0; made < 3; made += 1) dataOf(await call(own))
  expect(await call(own)).toMatchObject({
    errors: [{ message: 'The data was exported three times within a day' }],
  })
})
