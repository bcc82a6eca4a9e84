import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** The imports of each module, read from the source. */
export class ImportGraph {
  readonly #imports = new Map<string, readonly string[]>()
  readonly #workspaces = workspaceExports()
  readonly #pattern: RegExp

  /** @param options.types whether `import type` counts as an import */
  constructor({ types }: { readonly types: boolean }) {
    this.#pattern = types ? anyImport : valueImport
  }

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

  /** Modules that import each other, directly or through others; each list is one cycle. */
  cycles(modules: readonly string[]): readonly (readonly string[])[] {
    const visited = new Map<string, { readonly index: number; low: number }>()
    const open: string[] = []
    const knots: string[][] = []
    // Tarjan's algorithm: a module whose lowest reachable number is its own closes a cycle.
    const visit = (module: string): number => {
      const state = { index: visited.size, low: visited.size }
      visited.set(module, state)
      open.push(module)
      const imported = path.isAbsolute(module) ? this.#importsOf(module) : []
      for (const target of imported) {
        const known = visited.get(target)
        if (known === undefined) state.low = Math.min(state.low, visit(target))
        else if (open.includes(target)) state.low = Math.min(state.low, known.index)
      }
      if (state.low === state.index) {
        const knot = open.splice(open.indexOf(module))
        if (knot.length > 1 || imported.includes(module)) knots.push(knot)
      }
      return state.low
    }
    for (const module of modules) if (!visited.has(module)) visit(module)
    return knots
  }

  #importsOf(module: string): readonly string[] {
    const known = this.#imports.get(module)
    if (known !== undefined) return known
    const source = existsSync(module) ? readFileSync(module, 'utf8') : ''
    const found = [...source.matchAll(this.#pattern)].map(([, from, sideEffect, dynamic]) =>
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

const anyImport =
  /^(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm

const valueImport =
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
