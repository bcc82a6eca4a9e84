import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readSource } from '../read-source.ts'
import { readFunctions } from './read-functions.ts'

const root = path.resolve(import.meta.dirname, '../../..')

const textsOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root })
    .filter((file) => !/node_modules|\/generated\/|\.test\.ts$/.test(file))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

test('every function is called: by another one, by Hasura, or by TypeScript through its module', async () => {
  const statements = await readSource()
  const metadata = textsOf('metadata/**/*.yaml').join('\n')
  const actions = textsOf('actions/src/**/*.ts')
  const others = textsOf('{actions,audit,auth-webhook}/src/**/*.ts').join('\n')
  const uncalled = readFunctions(statements).filter(({ name, answers, text }) => {
    const [schema = '', short = ''] = name.split('.')
    if (answers !== null) {
      const isCalled = actions.some(
        (module) =>
          module.includes(`generated/${schema}.ts`) && new RegExp(`\\b${camel(short)}\\b`).test(module),
      )
      // Its answers are declared because those of another one are the same.
      return !isCalled && !statements.some(({ comment }) => comment.includes(`${name}()`))
    }
    const named = new RegExp(`\\b${schema}\\.${short}\\b`)
    return !(
      statements.some((statement) => statement.text !== text && named.test(statement.text)) ||
      new RegExp(`\\b${short}\\b`).test(metadata) ||
      named.test(others)
    )
  })
  expect(uncalled.map(({ name }) => name)).toEqual([])
})
