import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')

const linksOf = (file: string): readonly string[] =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/\]\(([^)#]+)/g)].map(([, link]) =>
    path.join(path.dirname(file), link ?? ''),
  )

test.each(['docs/security.md', 'SECURITY.md', 'tests/tenancy/README.md'])(
  '%s links to files that exist',
  (file) => {
    expect(linksOf(file).filter((link) => !existsSync(path.join(root, link)))).toEqual([])
  },
)

test('every threat in docs/security.md links to a test', () => {
  const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8')
  const table = text.slice(text.indexOf('## Threats'), text.indexOf('## Trying it'))
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (-|an attacker tries)/.test(line))
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter((row) => !/\]\([^)]+\.test\.ts\)/.test(row))).toEqual([])
})
