import type { CatalogueError } from '@commerce-graph/contract/errors'
import { tooMany } from './document-size.ts'
import type { Limits } from './limits.ts'

/**
 * Refuses variables that hold too many values, or values too deep inside of each other, before anything reads them:
 * coercion and JSON scalars descend recursively.
 */
export function checkVariablesSize(
  variables: Readonly<Record<string, unknown>>,
  { variableValues, valueNesting }: Pick<Limits, 'variableValues' | 'valueNesting'>,
): CatalogueError | null {
  // A level at a time, so that no depth is one of the stack.
  let level: readonly unknown[] = Object.values(variables)
  let values = level.length
  for (let nesting = 0; level.length > 0; nesting += 1) {
    if (nesting > valueNesting)
      return tooMany('variables', nesting, valueNesting, 'values inside of each other')
    const inside: unknown[] = []
    for (const value of level)
      if (typeof value === 'object' && value !== null)
        for (const item of Object.values(value)) inside.push(item)
    values += inside.length
    if (values > variableValues) return tooMany('variables', values, variableValues, 'values')
    level = inside
  }
  return null
}
