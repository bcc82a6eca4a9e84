import type { DirectiveNode, GraphQLSchema } from 'graphql'
import { readArguments } from './arguments.ts'
import type { ObjectValue } from './input-value.ts'
import { flag } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { Variables } from './variables.ts'

interface DirectiveScope {
  readonly schema: GraphQLSchema
  readonly variables: Variables
}

const locations = {
  Field: 'FIELD',
  FragmentSpread: 'FRAGMENT_SPREAD',
  InlineFragment: 'INLINE_FRAGMENT',
} as const

/** Whether `@include` and `@skip` keep a selection. Throws RequestError. */
export function isIncluded(
  directives: readonly DirectiveNode[],
  kind: keyof typeof locations,
  scope: DirectiveScope,
  path: string,
): boolean {
  if (directives.length === 0) return true
  const given = readDirectives(directives, locations[kind], scope, path)
  const holds = (name: 'include' | 'skip'): boolean => flag(given.get(name)?.fields.get('if'))
  return (!given.has('include') || holds('include')) && !holds('skip')
}

const places = {
  FIELD: 'a field',
  FRAGMENT_SPREAD: 'a fragment spread',
  INLINE_FRAGMENT: 'an inline fragment',
  QUERY: 'a query',
  MUTATION: 'a mutation',
  SUBSCRIPTION: 'a subscription',
} as const

/** The arguments of directives, by name. Throws RequestError for an unknown, misplaced or repeated directive. */
export function readDirectives(
  directives: readonly DirectiveNode[],
  location: keyof typeof places,
  scope: DirectiveScope,
  path: string,
): ReadonlyMap<string, ObjectValue> {
  const names = directives.map(({ name }) => name.value)
  const given = new Map<string, ObjectValue>()
  for (const node of directives) {
    const name = node.name.value
    const directive = scope.schema.getDirective(name)
    if (directive == null) throw new RequestError(`directive "${name}" is not defined in the schema`, path)
    if (!directive.locations.some((allowed) => allowed.toString() === location))
      throw new RequestError(`directive "${name}" is not allowed on ${places[location]}`, path)
    given.set(name, readArguments({ node, name, path: `${path}.${name}` }, directive.args, scope))
  }
  const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
  if (repeated.length > 0)
    throw new RequestError(`the following directives are used more than once: ${repeated.join(', ')}`, path)
  return given
}
