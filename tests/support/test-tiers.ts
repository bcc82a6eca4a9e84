import { globSync } from 'node:fs'
import path from 'node:path'
import { ImportGraph } from './import-graph.ts'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * The modules with the Postgres of the test run or another process. A test file belongs to the tier `database` if its
 * imports reach one of them, directly or through others, and otherwise to the tier `unit`.
 */
const outside: ReadonlySet<string> = new Set([
  path.join(root, 'local-postgres/src/test-database.ts'),
  path.join(root, 'local-postgres/src/local-postgres.ts'),
  'node:child_process',
])

export interface TestTiers {
  readonly unit: readonly string[]
  readonly database: readonly string[]
}

/** The test files of the repository by tier, relative to its root. */
export function testTiers(): TestTiers {
  const files = globSync('**/*.test.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name.startsWith('.data') || name === 'dist',
  }).sort()
  const graph = new ImportGraph({ types: false })
  const tier = (file: string): boolean => graph.reaches(path.join(root, file), outside)
  return { unit: files.filter((file) => !tier(file)), database: files.filter(tier) }
}
