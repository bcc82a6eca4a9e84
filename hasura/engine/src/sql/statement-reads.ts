import type { QualifiedName } from '../metadata/qualified-name.ts'
import type { Statement } from './ast.ts'

/** What a statement names: tables and views, and functions that are not Postgres' own. */
export interface StatementReads {
  readonly relations: readonly QualifiedName[]
  readonly functions: readonly QualifiedName[]
  /** Whether it has SQL of the metadata in it, whose names are not known. */
  readonly isOpaque: boolean
}

/** Finds each table, view and function in a statement, wherever it stands. */
export function readsOf(statement: Statement): StatementReads {
  const relations = new Map<string, QualifiedName>()
  const functions = new Map<string, QualifiedName>()
  let isOpaque = false
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('kind' in value) {
      const node = value as AnyNode
      if (node.kind === 'native') isOpaque = true
      else if (node.kind === 'table') relations.set(JSON.stringify(node.name), node.name)
      else if (node.kind === 'call' && typeof node.function === 'object')
        functions.set(JSON.stringify(node.function), node.function)
    }
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(statement)
  return { relations: [...relations.values()], functions: [...functions.values()], isOpaque }
}

/** The nodes that name something, and the others. */
type AnyNode =
  | { readonly kind: 'native' }
  | { readonly kind: 'table'; readonly name: QualifiedName }
  | { readonly kind: 'call'; readonly function: string | QualifiedName }
  | { readonly kind: 'other' }
