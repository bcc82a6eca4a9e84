import { rateVariables } from '@commerce-graph/rate-limits/rates'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limitVariables } from './limits.ts'

test('docs/limits.md has exactly the gateway’s variables, with their defaults', () => {
  const text = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `(LIMIT_\w+)` +\| ([^|]*)\|/gm)].map(
    ([, variable = '', value = '']) => [variable, value.trim().replaceAll(/[`,]/g, '')],
  )
  const known = [...Object.entries(rateVariables), ...limitVariables].map(([variable, value]) => [
    variable,
    String(value),
  ])
  expect(rows.sort()).toEqual(known.sort())
})
