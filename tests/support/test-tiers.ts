import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * What makes a test more than a unit test: the Postgres of the test run, or a process of its own. A test file belongs to the tier
 * `database` when its imports reach one of these, through however many modules, and to the tier `unit` when they don't.
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
  const graph = new ImportGraph()
  const tier = (file: string): boolean => graph.reaches(path.join(root, file), outside)
  return { unit: files.filter((file) => !tier(file)), database: files.filter(tier) }
}

/** Which module imports which, read from the source; types are no imports. */
class ImportGraph {
  readonly #imports = new Map<string, readonly string[]>()
  readonly #workspaces = workspaceExports()

  reaches(start: string, targets: ReadonlySet<string>): boolean {
    const seen = new Set<string>()
    const waiting = [start]
    for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
      if (targets.has(module)) return true
      if (seen.has(module) || !path.isAbsolute(module)) continue
      seen.add(module)
      waiting.push(...this.#importsOf(module))
    }
    return false
  }

  #importsOf(module: string): readonly string[] {
    const known = this.#imports.get(module)
    if (known !== undefined) return known
    const source = existsSync(module) ? readFileSync(module, 'utf8') : ''
    const found = [...source.matchAll(importPattern)].map(([, from, sideEffect, dynamic]) =>
      this.#resolve(module, from ?? sideEffect ?? dynamic ?? ''),
    )
    this.#imports.set(module, found)
    return found
  }

  #resolve(module: string, specifier: string): string {
    if (specifier.startsWith('.')) return path.resolve(path.dirname(module), specifier)
    return this.#workspaces.get(specifier) ?? specifier
  }
}

const importPattern =
  /^(?:import|export)\b(?!\s+type\b)[^'";]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm

/** Each name under which a workspace exports a module, with the module's file. */
function workspaceExports(): ReadonlyMap<string, string> {
  const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    workspaces: readonly string[]
  }
  const found = new Map<string, string>()
  for (const folder of workspaces) {
    const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly exports?: Readonly<Record<string, string | { readonly default: string }>>
    }
    for (const [name, target] of Object.entries(manifest.exports ?? {})) {
      const file = typeof target === 'string' ? target : target.default
      found.set(path.posix.join(manifest.name, name), path.join(root, folder, file))
    }
  }
  return found
}
