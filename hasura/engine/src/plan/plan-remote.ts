import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import { requireValidSelection } from '../remote/remote-document.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import type { CollectedField } from './collect-fields.ts'
import { isIncluded } from './directives.ts'
import { fieldOf } from './field-of.ts'
import type { SelectScope } from './select-scope.ts'
import { planValueJoin } from './plan-value-join.ts'
import type { RemoteArgument, RemoteSelection, RemoteShape, RemoteVariables } from './remote-joins.ts'
import { remoteArgument } from './remote-literal.ts'
import { RequestError } from './request-error.ts'

/** The state shared by the walk through one remote selection. */
interface Walk {
  readonly remote: RoleRemote
  readonly scope: SelectScope
  readonly variables: RemoteVariables
  /** Counts the values that only joins need, to name them. */
  hidden: number
}

/** Plans a root field of a remote schema, with the remote schema's names. */
export function planRemoteField(
  type: GraphQLObjectType,
  collected: CollectedField,
  remote: RoleRemote,
  scope: SelectScope,
): RemoteSelection {
  const walk = newWalk(remote, scope)
  const shape = emptyShape()
  const nodes = [fieldNode(collected, type, shape, walk)]
  return { nodes, shape, variables: walk.variables }
}

/** Plans the selection below a remote schema's namespace. */
export const planRemoteRoot = (
  type: GraphQLObjectType,
  collected: CollectedField,
  remote: RoleRemote,
  scope: SelectScope,
): RemoteSelection => remoteSelection(type, collected, newWalk(remote, scope))

/** Plans a field from the left side into a remote schema. Returns the marker of its place. */
export function planRemoteJoin(
  type: GraphQLNamedType,
  collected: CollectedField,
  { remote, steps }: Extract<FieldMeaning, { kind: 'remote-join' }>,
  scope: SelectScope,
): string {
  const walk = newWalk(remote, scope)
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[collected.name] : undefined
  if (field === undefined) throw new Error(`${type.name} has no field ${collected.name}`)
  const args: readonly RemoteArgument[] = argumentNodes(collected.node, collected, field.args, walk).map(
    ({ name, value }) => ({ name: name.value, value }),
  )
  const selection = remoteSelection(getNamedType(field.type), collected, walk)
  requireValidSelection(selection, getNamedType(field.type).name, remote, collected.path)
  return scope.joins.add({ kind: 'remote', remote, steps, selection, args })
}

const newWalk = (remote: RoleRemote, scope: SelectScope): Walk => ({
  remote,
  scope,
  variables: { definitions: [], values: {} },
  hidden: 0,
})

const emptyShape = (): RemoteShape => ({
  fields: new Map(),
  typeNames: new Set(),
  joins: new Map(),
  hidden: new Set(),
})

function remoteSelection(type: GraphQLNamedType, collected: CollectedField, walk: Walk): RemoteSelection {
  const shape = emptyShape()
  const nodes = isCompositeType(type)
    ? collected.selections.flatMap((each) =>
        selectionNodes(each, { type, shape, path: collected.path, spread: new Set() }, walk),
      )
    : []
  return { nodes, shape, variables: walk.variables }
}

/** Where in a remote selection a walk is. */
interface Place {
  readonly type: GraphQLNamedType
  readonly shape: RemoteShape
  readonly path: string
  /** The fragments that are spread here already: as in GraphQL, one counts once in a selection. */
  readonly spread: Set<string>
}

const selectionNodes = (
  { selections }: SelectionSetNode,
  place: Place,
  walk: Walk,
): readonly SelectionNode[] =>
  selections.flatMap((selection): readonly SelectionNode[] => {
    const { scope } = walk
    const { type, shape, path, spread } = place
    if (!isIncluded(selection.directives ?? [], selection.kind, scope, path)) return []
    switch (selection.kind) {
      case Kind.FIELD:
        return fieldNodes(selection, type, shape, walk, `${path}.selectionSet`)
      case Kind.INLINE_FRAGMENT: {
        const condition = selection.typeCondition?.name.value
        return fragmentNodes(condition, selection.selectionSet, place, walk)
      }
      case Kind.FRAGMENT_SPREAD: {
        const name = selection.name.value
        const fragment = scope.fragments.get(name)
        if (fragment === undefined) throw new RequestError(`reference to undefined fragment "${name}"`, path)
        if (spread.has(name)) return []
        spread.add(name)
        const condition = fragment.typeCondition.name.value
        return fragmentNodes(condition, fragment.selectionSet, place, walk)
      }
      default:
        return selection satisfies never
    }
  })

function fragmentNodes(
  condition: string | undefined,
  selectionSet: SelectionSetNode,
  place: Place,
  walk: Walk,
): readonly SelectionNode[] {
  const { type, path, spread } = place
  const inner = condition === undefined ? type : walk.scope.schema.getType(condition)
  if (inner === undefined)
    throw new RequestError(`no such type exists in the schema: '${condition ?? ''}'`, path)
  const below = { ...place, type: inner, spread: inner === type ? spread : new Set(spread) }
  const nodes = selectionNodes(selectionSet, below, walk)
  if (nodes.length === 0 || inner === type) return nodes
  return [
    {
      kind: Kind.INLINE_FRAGMENT,
      typeCondition: {
        kind: Kind.NAMED_TYPE,
        name: { kind: Kind.NAME, value: walk.remote.names.upstreamType(inner.name) },
      },
      selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
    },
  ]
}

function fieldNodes(
  node: FieldNode,
  type: GraphQLNamedType,
  shape: RemoteShape,
  walk: Walk,
  path: string,
): readonly SelectionNode[] {
  const { budget } = walk.scope
  budget.fields -= 1
  if (budget.fields < 0) throw new RequestError('the operation selects too many fields', '$')
  const key = node.alias?.value ?? node.name.value
  const name = node.name.value
  if (name === '__typename') {
    shape.typeNames.add(key)
    return [aliased(key, '__typename')]
  }
  const selections = node.selectionSet === undefined ? [] : [node.selectionSet]
  const collected: CollectedField = { key, name, node, selections, path: `${path}.${name}` }
  if (!isObjectType(type) && !isInterfaceType(type))
    throw new RequestError(`field "${name}" not found in type: '${type.name}'`, collected.path)
  const { meaning } = fieldOf(type as GraphQLObjectType, collected)
  switch (meaning.kind) {
    case 'remote-field':
      return [fieldNode(collected, type as GraphQLObjectType, shape, walk)]
    case 'remote-join': {
      const marker = planRemoteJoin(type, collected, meaning, walk.scope)
      return joinNodes(
        key,
        marker,
        meaning.lhs.map((each) => each.name),
        shape,
        walk,
      )
    }
    case 'source-join':
      return joinNodes(
        key,
        planSourceJoin(type as GraphQLObjectType, collected, meaning, walk.scope),
        meaning.mapping.map((each) => each.field),
        shape,
        walk,
      )
    default:
      throw new Error(`${type.name}.${name} is no field of a remote schema, but ${meaning.kind}`)
  }
}

/** A field with its name in the remote schema. */
function fieldNode(
  collected: CollectedField,
  type: GraphQLObjectType,
  shape: RemoteShape,
  walk: Walk,
): FieldNode {
  const { field, meaning } = fieldOf(type, collected)
  if (meaning.kind !== 'remote-field') throw new Error(`${collected.name} is no field of a remote schema`)
  const inner = remoteSelection(getNamedType(field.type), collected, walk)
  mergeShape(shape, collected.key, inner.shape)
  const args = argumentNodes(collected.node, collected, field.args, walk)
  return {
    ...aliased(collected.key, meaning.name),
    ...(args.length === 0 ? {} : { arguments: args }),
    ...(inner.nodes.length === 0
      ? {}
      : { selectionSet: { kind: Kind.SELECTION_SET, selections: inner.nodes } }),
  }
}

const argumentNodes = (
  node: FieldNode,
  { name, path }: CollectedField,
  known: readonly { readonly name: string; readonly type: Parameters<typeof remoteArgument>[1] }[],
  { remote, scope, variables }: Walk,
): readonly ArgumentNode[] =>
  (node.arguments ?? []).flatMap((argument) => {
    const declared = known.find((candidate) => candidate.name === argument.name.value)
    if (declared === undefined)
      throw new RequestError(`"${name}" has no argument named "${argument.name.value}"`, path)
    const at = `${path}.args.${declared.name}`
    const value = remoteArgument(
      argument.value,
      declared.type,
      { names: remote.names, given: scope.variables, own: variables },
      at,
    )
    return value === undefined ? [] : [{ ...argument, value }]
  })

const aliased = (key: string, name: string): FieldNode => ({
  kind: Kind.FIELD,
  ...(key === name ? {} : { alias: { kind: Kind.NAME, value: key } }),
  name: { kind: Kind.NAME, value: name },
})

/** Merges the selections of one key. */
function mergeShape(into: RemoteShape, key: string, added: RemoteShape): void {
  const known = into.fields.get(key)
  if (known === undefined) {
    into.fields.set(key, added)
    return
  }
  for (const [name, inner] of added.fields) mergeShape(known, name, inner)
  for (const name of added.typeNames) known.typeNames.add(name)
  for (const [name, join] of added.joins) known.joins.set(name, join)
  for (const name of added.hidden) known.hidden.add(name)
}

/** Selects the values that a relationship depends on, in place of the relationship. */
function joinNodes(
  key: string,
  marker: string,
  fields: readonly string[],
  shape: RemoteShape,
  walk: Walk,
): readonly SelectionNode[] {
  const values = fields.map((name) => ({ name, key: `hasura_join_${(walk.hidden += 1)}` }))
  const [first] = values
  if (first !== undefined) shape.joins.set(first.key, { key, marker, values })
  for (const value of values) shape.hidden.add(value.key)
  return values.map((value) => aliased(value.key, value.name))
}

function planSourceJoin(
  type: GraphQLObjectType,
  collected: CollectedField,
  meaning: Extract<FieldMeaning, { kind: 'source-join' }>,
  scope: SelectScope,
): string {
  const { field } = fieldOf(type, collected)
  return scope.joins.add({ kind: 'source', ...planValueJoin(meaning, field, collected, 'l', scope) })
}
