import { expect, test } from 'vitest'
import { differencesFrom, type RunningProcess, settingsOf } from './process-settings.ts'

const versions = { version: '1.0.0', migration: '100_first' }
const key = (id: string, fill: string) => ({ id, key: Buffer.alloc(32, fill) })
const secrets = {
  encryptionKeys: [key('new', 'a'), key('old', 'b')],
  actionsSecret: 'the secret of the actions',
  adminSecret: 'the secret of the admin',
}
const settings = settingsOf(versions, secrets)
const running = (own: Partial<typeof secrets>, version = '1.0.0'): RunningProcess => ({
  roles: ['actions'],
  host: 'one',
  pid: 7,
  settings: settingsOf({ ...versions, version }, own),
})

test('fingerprints show no part of a secret, and the same secret has another one under another name', () => {
  const text = JSON.stringify(settings)
  for (const secret of [secrets.actionsSecret, secrets.adminSecret, Buffer.alloc(32, 'a').toString('base64')])
    expect(text).not.toContain(secret)
  expect(settings['ENCRYPTION_KEYS']).toMatch(/^new:[0-9a-f]{8},old:[0-9a-f]{8}$/)
  const same = settingsOf(versions, { actionsSecret: 'same', adminSecret: 'same' })
  expect(same['ACTIONS_SECRET']).not.toBe(same['HASURA_GRAPHQL_ADMIN_SECRET'])
})

test('processes with the same settings don’t differ, nor do those that lack one', () => {
  expect(differencesFrom(settings, [running(secrets), running({})])).toEqual([])
})

test('each setting that differs is named, with where', () => {
  const others = [
    running({ ...secrets, encryptionKeys: [key('new', 'x')] }),
    running({ ...secrets, actionsSecret: 'another' }),
    running(secrets, '1.1.0'),
  ]
  const lines = differencesFrom(settings, others)
  expect(lines).toHaveLength(3)
  expect(lines[0]).toBe('The version is 1.0.0 here, and 1.1.0 at actions (one, process 7)')
  expect(lines[1]).toMatch(
    /^The fingerprint of ENCRYPTION_KEYS is new:\w{8},old:\w{8} here, and new:\w{8} at actions \(one, process 7\)$/,
  )
  expect(lines[2]).toMatch(/^The fingerprint of ACTIONS_SECRET is/)
})

test('the order of encryption keys counts, because the first one seals', () => {
  const swapped = { ...secrets, encryptionKeys: [key('old', 'b'), key('new', 'a')] }
  expect(differencesFrom(settings, [running(swapped)])).toHaveLength(1)
})

test('of many processes five are named', () => {
  const many = Array<RunningProcess>(30).fill(running(secrets, '2.0.0'))
  const [line] = differencesFrom(settings, many)
  expect(line).toMatch(/ and 25 more$/)
  expect(line?.match(/2\.0\.0/g)).toHaveLength(5)
})
