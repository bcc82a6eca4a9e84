import {
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/**
 * The depth of a valid operation's deepest field. Introspection doesn't count: it never reaches the data layer, and
 * graphql-js bounds it.
 */
export function depthOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): number {
  // Each fragment is measured once, so that fragments that spread fragments can't make this exponential.
  const fragmentDepths = new Map<string, number>()

  function depthOfSelections({ selections }: SelectionSetNode): number {
    let deepest = 0
    for (const selection of selections) {
      let depth = 0
      switch (selection.kind) {
        case Kind.FIELD:
          if (selection.name.value.startsWith('__')) break
          depth = 1 + (selection.selectionSet ? depthOfSelections(selection.selectionSet) : 0)
          break
        case Kind.INLINE_FRAGMENT:
          depth = depthOfSelections(selection.selectionSet)
          break
        case Kind.FRAGMENT_SPREAD:
          depth = depthOfFragment(selection.name.value)
          break
      }
      deepest = Math.max(deepest, depth)
    }
    return deepest
  }

  function depthOfFragment(name: string): number {
    const known = fragmentDepths.get(name)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    const depth = fragment ? depthOfSelections(fragment.selectionSet) : 0
    fragmentDepths.set(name, depth)
    return depth
  }

  return depthOfSelections(operation.selectionSet)
}
