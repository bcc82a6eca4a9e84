import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** A suite says why itself, or by `whySkipped` of a module beside this file. */
function saysWhy(file: string): boolean {
  const text = readFileSync(path.join(root, file), 'utf8')
  if (text.includes('(skipped: ') || text.includes('longTest(')) return true
  const [, module] = /whySkipped,?\s*\} from '\.\/support\/([\w-]+\.ts)'/.exec(text) ?? []
  return (
    module !== undefined &&
    text.includes('${whySkipped}') &&
    readFileSync(path.join(import.meta.dirname, module), 'utf8').includes('(skipped: ')
  )
}

/** The reporter beside this file lists suites by their names in the last lines of CI. */
test('the name of every suite that may be skipped says why', () => {
  const silent = globSync('**/*.test.ts', { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((file) => path.basename(file) !== path.basename(import.meta.filename))
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('.skipIf(') && !saysWhy(file))
  expect(silent).toEqual([])
})
