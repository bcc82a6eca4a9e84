import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'

const timeoutMs = 180_000

describe('a platform on one machine', { timeout: timeoutMs }, () => {
  const running: PlatformProcess[] = []
  afterEach(async () => {
    for (const platform of running.splice(0)) await platform.remove()
  })
  const create = async () => {
    const platform = await PlatformProcess.create()
    running.push(platform)
    return platform
  }

  test('keeps its keys and data when it restarts, and has a ready.json only while it runs', async () => {
    const platform = await create()
    const first = await platform.start()
    const client = createClient(first.graphqlUrl, bearer(first.liveKey))
    const createCustomer = `mutation { createCustomer(input: { email: "kept@example.com", name: "Kept" }) { id } }`
    const { createCustomer: created } = succeeded(
      await client<{ createCustomer: { id: string } }>(createCustomer),
    )
    await platform.stop()
    expect(existsSync(path.join(platform.dataDir, 'ready.json'))).toBe(false)

    const second = await platform.start()
    expect(second.liveKey).toBe(first.liveKey)
    const again = createClient(second.graphqlUrl, bearer(second.liveKey))
    const found = succeeded(
      await again('query ($id: ID!) { customer(id: $id) { email } }', { id: created.id }),
    )
    expect(found).toEqual({ customer: { email: 'kept@example.com' } })
  })

  test('accepts test keys in test mode, and refuses them in live mode without saying why', async () => {
    const platform = await create()
    const trial = await platform.start()
    const taken = await createClient(trial.graphqlUrl, bearer(trial.testKey))('{ viewer { id } }')
    expect(taken).toMatchObject({ status: 200, errors: [] })
    await platform.stop()

    const { graphqlUrl, testKey } = await platform.start({ COMMERCE_MODE: 'live' })
    const answer = await createClient(graphqlUrl, bearer(testKey))('{ viewer { id } }')
    expect(answer.status).toBe(401)
    expect(answer.errors[0]?.extensions.id).toBe('SVC_AUTH_001')
    expect(answer.text).not.toMatch(/live|mode/)
  })

  test('does not start on a busy port, and says which port it is and what it is for', async () => {
    const platform = await create()
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(platform.port + 1, '127.0.0.1', resolve))
    try {
      await expect(platform.start()).rejects.toThrow(`${platform.port + 1}, meant for the Hasura engine`)
      expect(existsSync(path.join(platform.dataDir, 'ready.json'))).toBe(false)
    } finally {
      squatter.close()
    }
  })

  test('refuses a second start on the same data folder', async () => {
    const platform = await create()
    await platform.start()
    await expect(platform.beside().start()).rejects.toThrow('is running on')
  })
})
