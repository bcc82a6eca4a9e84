import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** The reporter beside this file lists suites by their names in the last lines of CI. */
test('the name of every suite that may be skipped says why', () => {
  const silent = globSync('**/*.test.ts', { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((file) => path.basename(file) !== path.basename(import.meta.filename))
    .filter((file) => {
      const text = readFileSync(path.join(root, file), 'utf8')
      return text.includes('.skipIf(') && !text.includes('(skipped: ') && !text.includes('longTest(')
    })
  expect(silent).toEqual([])
})
