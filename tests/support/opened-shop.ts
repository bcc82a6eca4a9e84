import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type EncryptionKey, formatEncryptionKeys } from '@commerce-graph/secret-box'
import { z } from 'zod'
import type { Client } from './graphql-client.ts'
import type { Payload } from './guest.ts'
import { succeeded } from './shop.ts'

const root = path.join(import.meta.dirname, '../..')

const openedSchema = z.object({ merchantId: z.string(), liveKey: z.string(), publishableKey: z.string() })
export type OpenedShop = z.infer<typeof openedSchema>

export interface ShopCommand {
  readonly databaseUrl: string
  readonly encryptionKeys: readonly EncryptionKey[]
  /** Of the storefront's pages. */
  readonly origin: string
}

/** A shop, as `npm run merchant -- create` opens it. */
export async function openShop({ databaseUrl, encryptionKeys, origin }: ShopCommand): Promise<OpenedShop> {
  const account = [
    '--name',
    'Old Mill',
    '--email',
    'mill@example.com',
    '--currency',
    'USD',
    '--country',
    'US',
  ]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['bin/merchant.ts', 'create', ...account, '--origin', origin, '--json'],
    {
      cwd: path.join(root, 'platform'),
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        ENCRYPTION_KEYS: formatEncryptionKeys(encryptionKeys),
      },
    },
  )
  return openedSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
}

/** Sends the requests of docs/open-a-shop.md in turn, as the shop's owner. Throws if one is refused. */
export async function followOpenAShop(owner: Client): Promise<void> {
  const page = await readFile(path.join(root, 'docs/open-a-shop.md'), 'utf8')
  for (const [, request = ''] of page.matchAll(/```graphql\n(mutation .*?)```/gs)) {
    const payloads = succeeded(await owner<Readonly<Record<string, Payload>>>(request))
    const errors = Object.values(payloads).flatMap((payload) => payload.errors)
    if (errors.length > 0) throw new Error(`${JSON.stringify(errors)} was the answer to ${request}`)
  }
}
