import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandLine, openCommandLine } from '../test/command-line.ts'

let commandLine: CommandLine

beforeAll(async () => {
  commandLine = await openCommandLine('operator')
})
afterAll(() => commandLine[Symbol.asyncDispose]())

const operator = (...[args, env]: Parameters<CommandLine['run']>) => commandLine.run(args, env)

test('a key is printed once, stored as a hash, listed, used, and revoked within milliseconds; the log has all of it', async () => {
  const made = await operator(['create', '--name', 'billing'])
  const key = /^cg_op_main_[\w-]{43}$/m.exec(made.stdout)?.[0] ?? ''
  expect(key).not.toBe('')
  const [row] = await commandLine.sql<
    { id: string; row: string }[]
  >`SELECT id, k::text AS row FROM operator.key k`
  expect(row?.row).not.toContain(key.slice(12))
  const authenticator = createAuthenticator({
    databaseUrl: commandLine.databaseUrl,
    mode: 'live',
    logger: pino({ level: 'silent' }),
  })
  try {
    await expect.poll(() => authenticator.healthy).toBe(true)
    const authenticate = () =>
      authenticator.authenticate({ authorization: `Bearer ${key}`, remoteAddress: '192.0.2.1' })
    expect(await authenticate()).toMatchObject({
      kind: 'authenticated',
      principal: {
        kind: 'operator',
        operatorKeyId: row?.id,
        sessionVariables: { 'x-hasura-role': 'operator' },
      },
    })
    expect((await operator(['list'])).stdout).toMatch(/cg_op_main_[\w-]{6}….*last used.*billing/)
    expect((await operator(['revoke', row?.id ?? ''])).stdout).toContain('is revoked')
    await expect.poll(async () => (await authenticate()).kind).toBe('refused')
  } finally {
    await authenticator.close()
  }
  const [used] = await commandLine.sql<
    { used: boolean }[]
  >`SELECT last_used_at IS NOT NULL AS used FROM operator.key`
  expect(used).toEqual({ used: true })
  expect((await operator(['list'])).stdout).toMatch(/revoked \d{4}-.*billing/)
  expect((await operator(['revoke', row?.id ?? ''])).stdout).toContain('was revoked before')
  const { stdout: log } = await operator(['log'])
  expect(log).toContain('COMMAND_LINE  createOperatorKey  DONE')
  expect(log).toContain('COMMAND_LINE  revokeOperatorKey  DONE')
  expect(log).toContain('billing  access  REFUSED SVC_AUTH_001')
  expect(log).not.toContain(key.slice(12))
})

test('dead letters are listed, tried again and dropped, one or all of a kind, and the log has it', async () => {
  const deadLetters = (...args: readonly string[]) => operator(['dead-letters', ...args])
  expect((await deadLetters('list')).stdout).toBe('There are no dead letters.\n')
  expect((await deadLetters('list', '--json')).stdout).toBe('[]\n')
  await commandLine.sql`
    WITH shop AS (INSERT INTO merchant.merchant (name, email) VALUES ('Mill', 'mill@example.com') RETURNING id),
      endpoint AS (
        INSERT INTO events.endpoint (merchant_id, url, topics, permissions)
        SELECT id, 'https://mill.example', '{*}', '{}' FROM shop RETURNING *)
    INSERT INTO events.delivery (merchant_id, endpoint_id, topic, position, status, error)
    SELECT e.merchant_id, e.id, topic, '1', 'FAILED', 'refused'
    FROM endpoint e, unnest(ARRAY['order.created', 'order.paid', 'order.shipped']) topic`
  const listed = await deadLetters('list', '--json')
  const letters = JSON.parse(listed.stdout) as readonly { id: string; name: string; error: string }[]
  expect(letters.map(({ name, error }) => `${name} ${error}`).sort()).toEqual([
    'order.created refused',
    'order.paid refused',
    'order.shipped refused',
  ])
  expect((await deadLetters('list', '--limit', '1')).stdout.trim().split('\n')).toHaveLength(1)
  expect((await deadLetters('list', '--kind', 'JOB', '--json')).stdout).toBe('[]\n')
  const paid = letters.find(({ name }) => name === 'order.paid')?.id ?? ''
  expect((await deadLetters('drop', paid)).stdout).toBe('1 are dropped.\n')
  expect((await deadLetters('retry', paid)).stderr).toContain(`There is no dead letter ${paid}`)
  expect((await deadLetters('retry', '--all', '--name', 'order.created', '--json')).stdout).toBe(
    '{"count":1}\n',
  )
  expect((await deadLetters('drop', '--all', '--kind', 'JOB')).stdout).toBe('0 are dropped.\n')
  expect((await deadLetters('list')).stdout).toMatch(/^\S+ {2}WEBHOOK_DELIVERY {2}webhooks\/order.shipped/)
  for (const [args, problem, code] of [
    [['retry'], 'Name ids, or say --all', 2],
    [['drop', paid, '--all'], 'Name ids, or say --all', 2],
    [['drop', paid, '--kind', 'JOB'], 'go with --all', 2],
    [['list', '--kind', 'LETTER'], 'Allowed choices are JOB', 2],
    [['list', '--limit', '5001'], 'whole number from 1 to 5000', 2],
    [['retry', 'no-id'], 'There is no dead letter no-id', 1],
  ] as const)
    expect(await deadLetters(...args)).toMatchObject({
      code,
      stderr: expect.stringContaining(problem) as string,
    })
  const { stdout: log } = await operator(['log'])
  expect(log).toContain(`COMMAND_LINE  dropDeadLetters  DONE  ${paid}`)
  expect(log).toContain('COMMAND_LINE  retryDeadLetters  DONE')
}, 60_000)

test('each command prints one JSON document with --json, also for what was refused', async () => {
  const json = async (...args: readonly string[]): Promise<unknown> => {
    const { stdout, stderr } = await operator([...args, '--json'])
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  const made = await json('create', '--name', 'reports')
  expect(made).toEqual({
    id: expect.any(String) as string,
    name: 'reports',
    key: expect.stringMatching(/^cg_op_main_/) as string,
  })
  const { id } = made as { readonly id: string }
  expect(await json('list')).toContainEqual(expect.objectContaining({ id, name: 'reports', revokedAt: null }))
  expect(await json('revoke', id)).toEqual({ id, revokedBefore: false })
  expect(await json('revoke', id)).toEqual({ id, revokedBefore: true })
  expect(await json('log', '--limit', '1')).toMatchObject([
    { operation: 'revokeOperatorKey', targetIds: [id] },
  ])
  expect(await json('processes')).toEqual([])
  expect(await json('revoke', 'no-id')).toEqual({
    error: { code: 'FAILED', message: expect.stringContaining('There is no key no-id') as string },
  })
})

test('a database that was never migrated, or that refuses the login, is told without a stack', async () => {
  for (const [url, problem] of [
    [new URL('/postgres', commandLine.databaseUrl).href, 'run npm run migrate'],
    [new URL('/no_such_database', commandLine.databaseUrl).href, "can't be reached: "],
    ['postgres://localhost:1/commerce', "can't be reached: connect ECONNREFUSED"],
    ['nowhere', 'DATABASE_URL must be a URL'],
  ] as const) {
    const { code, stdout, stderr } = await operator(['list'], { DATABASE_URL: url })
    expect(stderr).toContain(problem)
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  }
})

test('an error is printed, and the exit status is not 0', async () => {
  expect(await operator(['revoke', 'no-id'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no key no-id') as string,
  })
  expect(await operator(['create', '--name', ' '])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 to 100 characters') as string,
  })
  expect(await operator(['create'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--name <name>' not specified") as string,
  })
  expect(await operator(['list'], { DATABASE_URL: '', DATA_DIR: '/nonexistent' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no platform is running here') as string,
  })
  expect(await operator(['--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('revoke') as string,
  })
})
