import { buildSchema, parse, validate } from 'graphql'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exampleOf } from '../docs-site/src/example-of.ts'
import { readDomains, readSchema } from '../docs-site/src/operations.ts'
import { pageOf } from '../docs-site/src/page-of.ts'
import { sitePages } from '../docs-site/src/site-map.ts'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTests } from './support/long-tests.ts'
import { signInOwner } from './support/sign-in-owner.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const operations = readDomains(readSchema()).flatMap((domain) => domain.operations)

test('the reference has an example of every operation of the contract, each valid by the schema', () => {
  const schema = buildSchema(readFileSync(path.join(import.meta.dirname, '../docs/schema.graphql'), 'utf8'))
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const all = roots
    .flatMap((root) => Object.keys(root?.getFields() ?? {}))
    .filter((name) => !name.startsWith('_'))
  expect(new Set(operations.map(({ field }) => field.name))).toEqual(
    new Set(all.filter((name) => !isOfCore(name))),
  )
  for (const { kind, field } of operations)
    expect([field.name, validate(schema, parse(exampleOf(kind, field).document))]).toEqual([field.name, []])
})

/** Records by their ids are of all domains; the page on keeping a copy in step has them. */
const isOfCore = (name: string): boolean => name === 'node' || name === 'nodes'

test('links lead to pages of the site, and files that are none of its pages are named only', () => {
  const pages = sitePages()
  const page = pageOf(
    'See [errors](errors.md#codes), [its test](../tests/rates.test.ts) and [the list](decisions/README.md).\n<!-- ci:x -->\n```md\n[kept](../as/it/is.md)\n```\n',
    'docs/limits.md',
    pages,
  )
  expect(page).toBe(
    'See [errors](/errors.md#codes), its test and [the list](/decisions/index.md).\n```md\n[kept](../as/it/is.md)\n```\n',
  )
})

const skipped = longTests ? '' : ' (skipped: npm run test:long runs it)'

describe.skipIf(!longTests)(`on a running platform${skipped}`, { timeout: 240_000 }, () => {
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startTestPlatform()
  }, 120_000)
  afterAll(() => platform.stop())

  /** What an example may be told: its ids, names, passwords, codes and tokens are made up. Anything else is an example that can't work. */
  const expected = /^(NOT_FOUND|ALREADY_EXISTS) |^INVALID_VALUE (password|currentPassword|code|token)$/
  /** Neither a key nor a user of the shop may call these: they are operators', or a shopper's. */
  const needsAnotherCaller = (callers: string): boolean => callers === '' || callers.startsWith('operators')

  test('every example is taken: none has a wrong form, and none lacks what a rule asks for', async () => {
    const key = createClient(platform.graphqlUrl, bearer(platform.liveKey))
    const user = await signInOwner(platform)
    /** By the key; by a user where keys are refused. */
    const ask = async (document: string, variables: Readonly<Record<string, unknown>>) => {
      const answer = await key<Readonly<Record<string, unknown>>>(document, variables)
      const refused = answer.errors.some(({ extensions }) => extensions.id === 'SVC_AUTH_003')
      return refused ? user<Readonly<Record<string, unknown>>>(document, variables) : answer
    }
    const wrong: string[] = []
    for (const { kind, field, callers } of operations) {
      if (kind === 'subscription') continue
      const { document, variables } = exampleOf(kind, field)
      const { data, errors } = await ask(document, variables)
      const ids = errors.map(({ extensions }) => extensions.id)
      const refused = ids.filter(
        (id) =>
          !(id === 'SVC_AUTH_003' && needsAnotherCaller(callers)) &&
          !(id === 'SVC_AUTH_002' && field.name === 'refreshSession'),
      )
      const payload = (data?.[field.name] ?? {}) as {
        readonly errors?: readonly { code: string; field: string | null }[]
      }
      const faults = (payload.errors ?? [])
        .map(({ code, field: at }) => `${code} ${at ?? ''}`)
        .filter((fault) => !expected.test(fault))
      if (refused.length > 0 || faults.length > 0)
        wrong.push(`${field.name}: ${[...refused, ...faults].join(', ')}`)
    }
    expect(wrong).toEqual([])
  })
})
