import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { createSecretBox, formatEncryptionKeys, newEncryptionKey } from '@commerce-graph/secret-box'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type CommandLine, openCommandLine } from '../test/command-line.ts'
import { program } from './merchant-command.ts'

const encryptionKey = newEncryptionKey()
let commandLine: CommandLine

beforeAll(async () => {
  commandLine = await openCommandLine('merchant')
})
afterAll(() => commandLine[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllEnvs())

const merchant = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  commandLine.run(args, { ENCRYPTION_KEYS: formatEncryptionKeys([encryptionKey]), ...env })

const account = ['--name', 'Old Mill', '--email', 'mill@example.com', '--currency', 'EUR', '--country', 'deu']

interface Opened {
  readonly merchantId: string
  readonly liveKey: string
  readonly testKey: string
  readonly publishableKey: string
}

async function open(...options: readonly string[]): Promise<Opened> {
  const { stdout, stderr, code } = await merchant(['create', ...account, '--json', ...options])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Opened
}

test('a new merchant is empty, has its own currency, country, time zone and language, and its owner is invited', async () => {
  const { merchantId, ...keys } = await open('--time-zone', 'Europe/Berlin', '--language', 'de')
  expect(keys).toEqual({
    liveKey: expect.stringMatching(/^cg_live_main_[\w-]{43}$/) as string,
    testKey: expect.stringMatching(/^cg_test_main_[\w-]{43}$/) as string,
    publishableKey: expect.stringMatching(/^cg_pub_main_[\w-]{43}$/) as string,
  })
  const shown = await merchant(['show', merchantId, '--json'])
  expect(JSON.parse(shown.stdout)).toMatchObject({
    name: 'Old Mill',
    email: 'mill@example.com',
    country: 'DE',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    language: 'de',
    status: 'ACTIVE',
    plan: 'FREE',
  })
  const [owner] = await commandLine.sql<
    { email: string; status: string; role: string; token: string; hash: string }[]
  >`
    SELECT u.email, u.status, r.kind AS role, t.undelivered AS token, encode(t.hash, 'hex') AS hash
    FROM identity.user u
    JOIN identity.user_role l ON l.merchant_id = u.merchant_id AND l.user_id = u.id
    JOIN identity.role r ON r.merchant_id = l.merchant_id AND r.id = l.role_id
    JOIN identity.one_time_token t ON t.merchant_id = u.merchant_id AND t.user_id = u.id
    WHERE u.merchant_id = ${merchantId} AND t.purpose = 'INVITATION'`
  expect(owner).toMatchObject({ email: 'mill@example.com', status: 'INACTIVE', role: 'OWNER' })
  const context = `mailed token ${merchantId} ${owner?.hash ?? ''}`
  expect(createSecretBox([encryptionKey]).open(owner?.token ?? '', context)).toMatch(/^main_[\w-]{43}$/)
  const [rows] = await commandLine.sql`
    SELECT (SELECT count(*)::int FROM catalog.product WHERE merchant_id = ${merchantId}) AS products,
      (SELECT count(*)::int FROM ordering.order WHERE merchant_id = ${merchantId}) AS orders`
  expect(rows).toEqual({ products: 0, orders: 0 })
  expect((await merchant(['list'])).stdout).toContain(`${merchantId}  ACTIVE  FREE ACTIVE  EUR`)
  expect(JSON.parse((await merchant(['list', '--json'])).stdout)).toContainEqual(JSON.parse(shown.stdout))
})

test('the publishable key of a new merchant works for the pages of the origins that are named, and for no others', async () => {
  const { merchantId, publishableKey } = await open(
    '--origin',
    'https://Mill.example/',
    'https://m.mill.example',
  )
  const authenticator = createAuthenticator({
    databaseUrl: commandLine.databaseUrl,
    mode: 'live',
    logger: pino({ level: 'silent' }),
  })
  try {
    const from = (origin: string) =>
      authenticator.authenticate({
        authorization: `Bearer ${publishableKey}`,
        remoteAddress: '192.0.2.1',
        origin,
      })
    for (const origin of ['https://mill.example', 'https://m.mill.example'])
      expect(await from(origin)).toMatchObject({ principal: { kind: 'guest', merchantId } })
    expect(await from('https://other.example')).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
  } finally {
    await authenticator.close()
  }
  expect(await merchant(['create', ...account, '--origin', 'mill.example'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--origin: ') as string,
  })
})

test('a suspended or closed merchant’s keys are refused at once and accepted again after it is reinstated; the audit log has it all', async () => {
  const { merchantId, liveKey } = await open()
  const authenticator = createAuthenticator({
    databaseUrl: commandLine.databaseUrl,
    mode: 'live',
    logger: pino({ level: 'silent' }),
  })
  try {
    await expect.poll(() => authenticator.healthy).toBe(true)
    const authenticate = () =>
      authenticator.authenticate({ authorization: `Bearer ${liveKey}`, remoteAddress: '192.0.2.1' })
    expect(await authenticate()).toMatchObject({ kind: 'authenticated', principal: { merchantId } })
    expect(await merchant(['suspend', merchantId, '--reason', 'spam'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/status: SUSPENDED[^]*statusReason: spam/) as string,
    })
    await expect.poll(authenticate).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
    expect(await merchant(['suspend', merchantId])).toMatchObject({
      code: 1,
      stderr: `error: The merchant ${merchantId} is SUSPENDED.\n`,
    })
    const reinstated = await merchant(['reinstate', merchantId, '--json'])
    expect(JSON.parse(reinstated.stdout)).toMatchObject({ id: merchantId, status: 'ACTIVE' })
    await expect.poll(authenticate).toMatchObject({ kind: 'authenticated' })
    expect(await merchant(['close', merchantId])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`npm run merchant -- confirm-export ${merchantId}`) as string,
    })
    expect(await merchant(['confirm-export', merchantId])).toMatchObject({ code: 0 })
    expect(await merchant(['close', merchantId])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/status: CLOSED[^]*deletesAt: /) as string,
    })
    await expect.poll(authenticate).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
  } finally {
    await authenticator.close()
  }
  const entries = await commandLine.sql`
    SELECT actor_kind, source, operation FROM audit.entry
    WHERE merchant_id = ${merchantId} AND actor_kind = 'OPERATOR' ORDER BY created_at`
  expect(entries.map(({ operation }) => operation as string)).toEqual([
    'createMerchant',
    'suspendMerchant',
    'reinstateMerchant',
    'confirmMerchantExport',
    'closeMerchant',
  ])
})

/** The message with which the command ends: in this process, because starting one takes as long as all the rest. */
async function refusalOf(args: readonly string[]): Promise<string> {
  const command = program()
  let printed = ''
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeErr: (text) => (printed += text) })
  const error: unknown = await command.parseAsync(args, { from: 'user' }).then(
    () => null,
    (cause: unknown) => cause,
  )
  if (!(error instanceof Error)) throw new Error('the command succeeded')
  return `${printed}${error.message}`
}

test.each([
  [['create', ...account.slice(2)], "--name <name>' not specified"],
  [['create', ...account, '--currency', 'EURO'], '--currency: '],
  [['create', ...account, '--country', 'Atlantis'], '--country: '],
  [['create', ...account, '--email', 'mill'], '--email: '],
  [['create', ...account, '--name', ' '], '--name: '],
  [['create', ...account, '--time-zone', 'Berlin'], '--time-zone: '],
  [['create', ...account, '--language', 'xx'], '--language: '],
  [['show', 'none'], 'There is no merchant none'],
  [['close', '01a1f000-0000-7000-8000-000000000001', '--delete-after-days', 'x'], 'from 1 to 3650'],
  [['suspend', '01a1f000-0000-7000-8000-000000000001'], 'There is no merchant 01a1f000'],
])('%j is refused with the reason', async (args, message) => {
  vi.stubEnv('DATABASE_URL', commandLine.databaseUrl)
  vi.stubEnv('ENCRYPTION_KEYS', formatEncryptionKeys([encryptionKey]))
  const before = await commandLine.sql`SELECT count(*) FROM merchant.merchant`
  expect(await refusalOf(args)).toContain(message)
  expect(await commandLine.sql`SELECT count(*) FROM merchant.merchant`).toEqual(before)
})

test('broken encryption keys are named, without a stack and without showing them', async () => {
  const { code, stderr } = await merchant(['create', ...account], { ENCRYPTION_KEYS: 'k1:c2hvcnQ=' })
  expect(stderr).toMatch(/^error: ENCRYPTION_KEYS: [^\n]+\n$/)
  expect(stderr).not.toContain('c2hvcnQ')
  expect(code).toBe(1)
})

test('without the platform’s encryption keys no merchant is created, because its owner could not be invited', async () => {
  const nowhere = { ENCRYPTION_KEYS: '', DATA_DIR: '/nonexistent' }
  expect(await merchant(['create', ...account], nowhere)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ENCRYPTION_KEYS') as string,
  })
})
