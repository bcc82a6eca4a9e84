import { Kind, type SelectionSetNode } from 'graphql'
import type { PreparedOperation } from '../plan/prepared-operation.ts'

/** A root field, and the key that it has in the answer. */
export interface RootFieldName {
  readonly name: string
  readonly key: string
}

/**
 * The root fields of an operation, fragments spread. Directives may still leave some of them out. A fragment counts once, however
 * often it is spread: fragments that spread fragments twice were exponential.
 */
export function rootFieldNames({
  operation,
  fragments,
}: Pick<PreparedOperation, 'operation' | 'fragments'>): readonly RootFieldName[] {
  const spread = new Set<string>()
  const namesOf = ({ selections }: SelectionSetNode): readonly RootFieldName[] =>
    selections.flatMap((selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return { name: selection.name.value, key: selection.alias?.value ?? selection.name.value }
        case Kind.INLINE_FRAGMENT:
          return namesOf(selection.selectionSet)
        case Kind.FRAGMENT_SPREAD: {
          const name = selection.name.value
          const fragment = spread.has(name) ? undefined : fragments.get(name)
          spread.add(name)
          return fragment === undefined ? [] : namesOf(fragment.selectionSet)
        }
        default:
          return selection satisfies never
      }
    })
  return namesOf(operation.selectionSet)
}
