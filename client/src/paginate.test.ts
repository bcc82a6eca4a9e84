import { parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import type { TypedDocument } from './document.ts'
import { pages, paginate, type Connection } from './paginate.ts'
import { refused, startAnsweringServer, type Reaction, type Received } from './testing/answering-server.ts'

interface Data {
  readonly numbers: Connection<number> | null
}

const document: TypedDocument<Data, { first?: number; after?: string | null; min: number }> =
  parse('query { numbers }')

/** A shop with the numbers from 1 to 5. */
function listOf({ variables: { first, after, last, before } }: Received): Reaction {
  const all = [1, 2, 3, 4, 5]
  const page =
    typeof first === 'number'
      ? all.filter((value) => value > Number(after)).slice(0, first)
      : all.filter((value) => before === null || value < Number(before)).slice(-Number(last))
  const pageInfo = {
    hasNextPage: page.at(-1) !== 5,
    endCursor: String(page.at(-1)),
    hasPreviousPage: page[0] !== 1,
    startCursor: String(page[0]),
  }
  return { body: { data: { numbers: { edges: page.map((node) => ({ node })), pageInfo } } } }
}

const connection = ({ numbers }: Data) => numbers

async function open(react: (received: Received, number: number) => Reaction = listOf) {
  const { url, received } = await startAnsweringServer(react)
  const client = createClient({ url, key: 'cg_test_main_1', retryPolicy: { retries: 0 } })
  return { client, received }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('a list', () => {
  test('is read to its end, each record once, with the caller’s own variables', async () => {
    const { client, received } = await open()
    expect(await all(paginate(client, document, { min: 1 }, { connection, pageSize: 2 }))).toEqual([
      1, 2, 3, 4, 5,
    ])
    expect(received.map(({ variables }) => variables)).toEqual([
      { min: 1, first: 2, after: null },
      { min: 1, first: 2, after: '2' },
      { min: 1, first: 2, after: '4' },
    ])
  })

  test('is read from its end', async () => {
    const { client } = await open()
    const backward = paginate(
      client,
      document,
      { min: 1 },
      { connection, pageSize: 2, direction: 'backward' },
    )
    expect(await all(backward)).toEqual([5, 4, 3, 2, 1])
  })

  test('is requested only as far as it is read', async () => {
    const { client, received } = await open()
    for await (const number of paginate(client, document, { min: 1 }, { connection, pageSize: 2 }))
      if (number === 3) break
    expect(received).toHaveLength(2)
  })

  test('continues at the cursor of a page that was read before', async () => {
    const { client } = await open()
    const reading = pages(client, document, { min: 1 }, { connection, pageSize: 2 })
    const { value } = await reading.next()
    expect(value).toMatchObject({ nodes: [1, 2], cursor: '2' })
    const options = { connection, pageSize: 2, cursor: value?.cursor ?? null }
    expect(await all(paginate(client, document, { min: 1 }, options))).toEqual([3, 4, 5])
  })

  test('whose parent does not exist has no records', async () => {
    const { client } = await open(() => ({ body: { data: { numbers: null } } }))
    expect(await all(paginate(client, document, { min: 1 }, { connection }))).toEqual([])
  })

  test('with `nodes` is read, too', async () => {
    const pageInfo = { hasNextPage: false, endCursor: null }
    const { client } = await open(() => ({ body: { data: { numbers: { nodes: [7], pageInfo } } } }))
    expect(await all(paginate(client, document, { min: 1 }, { connection }))).toEqual([7])
  })
})

describe('reading throws', () => {
  test('RequestFailed when a page is refused', async () => {
    const { client } = await open((received, number) =>
      number === 2 ? refused('SVC_AUTH_001', 401) : listOf(received),
    )
    const reading = paginate(client, document, { min: 1 }, { connection, pageSize: 2 })
    await expect(all(reading)).rejects.toMatchObject({
      name: 'RequestFailed',
      error: { kind: 'unauthenticated' },
    })
  })

  test('RangeError when there are more pages than allowed', async () => {
    const { client } = await open()
    const reading = paginate(client, document, { min: 1 }, { connection, pageSize: 1, maxPages: 3 })
    await expect(all(reading)).rejects.toThrow('more than 3 pages')
  })

  test('Error when a page does not end behind the one before, or its cursor is not selected', async () => {
    const stuck = { edges: [], pageInfo: { hasNextPage: true, endCursor: 'x' } }
    const { client } = await open(() => ({ body: { data: { numbers: stuck } } }))
    await expect(all(paginate(client, document, { min: 1 }, { connection }))).rejects.toThrow(
      'the same place',
    )
    const { client: other } = await open(() => ({ body: { data: { numbers: { edges: [], pageInfo: {} } } } }))
    await expect(all(paginate(other, document, { min: 1 }, { connection }))).rejects.toThrow(
      'Select pageInfo { hasNextPage endCursor }',
    )
  })
})

test('TypeScript requires the caller’s own variables, and no others', async () => {
  const { client } = await open()
  // @ts-expect-error A variable is missing.
  await all(paginate(client, document, {}, { connection }))
  // @ts-expect-error The client sets it.
  await all(paginate(client, document, { min: 1, first: 2 }, { connection }))
})
