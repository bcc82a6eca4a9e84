import { Kind, type SelectionSetNode } from 'graphql'
import type { PreparedOperation } from '../plan/prepared-operation.ts'

/** A root field, and the key that it has in the answer. */
export interface RootFieldName {
  readonly name: string
  readonly key: string
}

/** The root fields of an operation, fragments spread. Directives may still leave some of them out. */
export function rootFieldNames({
  operation,
  fragments,
}: Pick<PreparedOperation, 'operation' | 'fragments'>): readonly RootFieldName[] {
  const namesOf = ({ selections }: SelectionSetNode): readonly RootFieldName[] =>
    selections.flatMap((selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return { name: selection.name.value, key: selection.alias?.value ?? selection.name.value }
        case Kind.INLINE_FRAGMENT:
          return namesOf(selection.selectionSet)
        case Kind.FRAGMENT_SPREAD: {
          const fragment = fragments.get(selection.name.value)
          return fragment === undefined ? [] : namesOf(fragment.selectionSet)
        }
        default:
          return selection satisfies never
      }
    })
  return namesOf(operation.selectionSet)
}
