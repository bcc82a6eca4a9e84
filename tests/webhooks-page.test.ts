import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePorts } from '@commerce-graph/local-postgres'
import { loadContract } from '@commerce-graph/contract'
import { parse, validate } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const root = path.join(import.meta.dirname, '..')

let page: string
let platform: TestPlatform
beforeAll(async () => {
  page = await readFile(path.join(root, 'docs/webhooks.md'), 'utf8')
  platform = await startTestPlatform()
}, 60_000)
afterAll(() => platform.stop())

function sample(name: string): string {
  const found = new RegExp(`<!-- webhook:${name} -->\\s*\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(page)?.[1]
  if (found === undefined) throw new Error(`docs/webhooks.md has no sample ${name}`)
  return found
}

test('every request of docs/webhooks.md is valid', () => {
  const requests = [...page.matchAll(/```graphql\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(requests.length).toBeGreaterThan(4)
  for (const request of requests) expect(validate(loadContract().schema, parse(request)), request).toEqual([])
})

test('the receiver of docs/webhooks.md verifies what the endpoint of the page is sent', async () => {
  const shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  const port = await freePorts(1)
  const { createWebhookEndpoint } = succeeded(
    await shop<{ createWebhookEndpoint: { webhookEndpoint: { id: string; secret: string } } }>(
      sample('create').replace('https://erp.example.com', `http://127.0.0.1:${port}`),
    ),
  )
  const { id, secret } = createWebhookEndpoint.webhookEndpoint
  const folder = await mkdtemp(path.join(tmpdir(), 'receiver-'))
  let receiver: ChildProcess | undefined
  try {
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    await writeFile(path.join(folder, 'receiver.mjs'), sample('receiver'))
    receiver = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    receiver.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const status = async (headers: Readonly<Record<string, string>> = {}) =>
      fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: '{}', headers }).then(
        (response) => response.status,
        () => 0,
      )
    await expect.poll(() => status(), { timeout: 10_000 }).toBe(401)
    succeeded(
      await shop(
        'mutation ($id: ID!) { sendTestWebhook(id: $id) { webhookDelivery { id } errors { message } } }',
        { id },
      ),
    )
    await expect.poll(() => output, { timeout: 10_000 }).toContain('webhook.test')
  } finally {
    if (receiver) {
      receiver.kill()
      await once(receiver, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
})
