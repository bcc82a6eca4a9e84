import { expect, test } from 'vitest'
import { readConfiguration } from './configuration.ts'
import { roleProblems } from './role-problems.ts'
import { parseRoles, type Role } from './roles.ts'

const problemsOf = (roles: readonly Role[], env: Readonly<Record<string, string>>) =>
  roleProblems(new Set(roles), readConfiguration(env))

test('a list of roles is parsed, and a wrong name is refused with the right ones', () => {
  expect(parseRoles('all')).toEqual({ kind: 'all' })
  expect(parseRoles('worker, gateway')).toEqual({ kind: 'some', roles: new Set(['gateway', 'worker']) })
  for (const text of ['gatway', '', 'all,worker', 'engine,'])
    expect(parseRoles(text)).toMatchObject({
      problem: expect.stringContaining('gateway, engine, actions, webhook, worker') as string,
    })
})

test('each role names every variable that it lacks', () => {
  expect(problemsOf(['gateway', 'engine', 'actions', 'webhook', 'worker'], {})).toEqual([
    'the role gateway needs DATABASE_URL, HASURA_GRAPHQL_ADMIN_SECRET, ACTIONS_SECRET, ENCRYPTION_KEYS, FILES_URL, FILES_FOLDER or FILES_S3_ENDPOINT',
    'the role engine needs DATABASE_URL, HASURA_GRAPHQL_ADMIN_SECRET, ACTIONS_SECRET',
    'the role actions needs DATABASE_URL, ACTIONS_SECRET, ENCRYPTION_KEYS, FILES_URL, FILES_FOLDER or FILES_S3_ENDPOINT',
    'the role webhook needs DATABASE_URL',
    'the role worker needs DATABASE_URL, ENCRYPTION_KEYS, FILES_URL, FILES_FOLDER or FILES_S3_ENDPOINT, UNSUBSCRIBE_URL',
  ])
})

test('a role needs the addresses of the roles that it calls and that run elsewhere', () => {
  const database = { DATABASE_URL: 'postgres://user@host/name' }
  expect(problemsOf(['engine'], database)).toEqual([
    'the role engine needs HASURA_GRAPHQL_ADMIN_SECRET, ACTIONS_SECRET, WEBHOOK_URL, ACTIONS_URL',
  ])
  expect(problemsOf(['engine', 'webhook'], { ...database, ACTIONS_URL: 'http://actions:4003' })).toEqual([
    'the role engine needs HASURA_GRAPHQL_ADMIN_SECRET, ACTIONS_SECRET',
  ])
  expect(problemsOf(['webhook'], database)).toEqual([])
})

test('a live deployment counts rates in Redis, for all gateways and webhooks together', () => {
  const live = { DATABASE_URL: 'postgres://user@host/name', COMMERCE_MODE: 'live' }
  expect(problemsOf(['webhook'], live)).toEqual(['the role webhook needs REDIS_URL'])
})
