import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { Kind, parse } from 'graphql'
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { loadContract } from '@commerce-graph/contract'
import { Documents } from '../document/documents.ts'
import { keyPrincipal } from '../testing/shop.ts'
import { limitsFrom } from './limits.ts'
import { weighRequest } from './weigh-request.ts'

const limits = limitsFrom({})
const parts = { documents: new Documents(loadContract().schema, limits), limits }
const rateLimits = (environment = {}) =>
  createRateLimits({ settings: ratesFrom(environment), logger: pino({ level: 'silent' }) })
const textOf = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')

/** The number of requests that each operation of a document counts for, without optional variables. */
async function weightsOf(query: string): Promise<readonly number[]> {
  const { weightOf } = await rateLimits().then((made) => ({ weightOf: made.weightOf.bind(made) }))
  const operations = parse(query).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  return operations.map((operation) => {
    const name = operation.kind === Kind.OPERATION_DEFINITION ? (operation.name?.value ?? null) : null
    const checked = parts.documents.check(query, operations.length > 1 ? name : null)
    if (checked.kind === 'refused') throw new Error(JSON.stringify(checked.errors))
    return weightOf(checked.operation.complexity({}))
  })
}

test('the README’s query, the samples of the docs and each operation of the journey count once', async () => {
  const readme = /"query":"([^"]+)"/.exec(textOf('README.md'))?.[1] ?? ''
  expect(await weightsOf(readme)).toEqual([1])
  const journey = await weightsOf(textOf('tests/journey/journey.graphql'))
  expect(journey.length).toBeGreaterThan(5)
  expect(new Set(journey)).toEqual(new Set([1]))
  const page =
    '{ products { totalCount edges { node { id name price images { url } categories { name } } } } }'
  expect(await weightsOf(page)).toEqual([1])
})

test('a request beyond the remaining rate is refused, and does not reduce the rate', async () => {
  const made = await rateLimits()
  const principal = { ...keyPrincipal(1), plan: 'FREE' as const }
  const admit = async () => {
    const admission = await made.admit(principal)
    if (admission.kind !== 'admitted') throw new Error('exceeded')
    return admission
  }
  expect(await weighRequest(made, principal, await admit(), 50_000)).toMatchObject({
    kind: 'admitted',
    fields: { ratelimit: '"minute";r=0;t=60;cg-weight=50, "hour";r=950;t=3600;cg-weight=50' },
  })
  expect((await weighRequest(made, principal, await admit(), 40_000)).kind).toBe('admitted')
  expect(await weighRequest(made, principal, await admit(), 40_000)).toMatchObject({
    kind: 'refused',
    error: { id: 'SVC_RATE_001', details: { limit: 'minute', retryAfter: 60 } },
  })
  expect((await made.admit(principal)).fields.ratelimit).toContain('"burst";r=9;')
})

test('a request that the rate can never admit is refused as too complex, with the rate’s maximum', async () => {
  const made = await rateLimits({ LIMIT_RATE_FREE: '1000/3/4' })
  const principal = { ...keyPrincipal(1), plan: 'FREE' as const }
  const admission = await made.admit(principal)
  if (admission.kind !== 'admitted') throw new Error('exceeded')
  expect(await weighRequest(made, principal, admission, 4_001)).toMatchObject({
    kind: 'refused',
    error: {
      id: 'SVC_GQL_002',
      details: { field: 'query' },
      message: expect.stringContaining('4000') as string,
    },
  })
})
