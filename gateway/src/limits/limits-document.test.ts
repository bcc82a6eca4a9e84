import { loadContract } from '@commerce-graph/contract'
import { rateVariables } from '@commerce-graph/rate-limits/rates'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limitVariables } from './limits.ts'

const text = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')

test('docs/limits.md names exactly the mutations whose wrong passwords and codes count', () => {
  const [, names = ''] = /^\*\*Guesses\.\*\* Wrong passwords and codes \(([^)]*)\)/m.exec(text) ?? []
  const counted = [...loadContract().actions].flatMap(([name, { triesSecret }]) =>
    triesSecret ? [name] : [],
  )
  expect([...names.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(counted.sort())
})

test('docs/limits.md has exactly the gateway’s variables, with their defaults', () => {
  const rows = [...text.matchAll(/^\| `(LIMIT_\w+)` +\| ([^|]*)\|/gm)].map(
    ([, variable = '', value = '']) => [variable, value.trim().replaceAll(/[`,]/g, '')],
  )
  const known = [...Object.entries(rateVariables), ...limitVariables].map(([variable, value]) => [
    variable,
    String(value),
  ])
  expect(rows.sort()).toEqual(known.sort())
})
