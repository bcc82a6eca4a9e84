import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  NoUnusedFragmentsRule,
  OperationTypeNode,
  type SelectionNode,
  type ValueNode,
  TypeInfo,
  type VariableDefinitionNode,
  getNamedType,
  isInputObjectType,
  specifiedRules,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { JsonValue } from '../plan/input-value.ts'
import { remoteLiteral } from '../plan/remote-literal.ts'
import type { RemoteSelection, RemoteVariables } from '../plan/remote-joins.ts'
import { RequestError } from '../plan/request-error.ts'
import type { RoleRemote } from './role-remote.ts'

/** A document with one operation. */
export const remoteDocument = (
  operation: 'query' | 'mutation',
  selections: readonly SelectionNode[],
  variableDefinitions: readonly VariableDefinitionNode[] = [],
): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: [
    {
      kind: Kind.OPERATION_DEFINITION,
      operation: operation === 'query' ? OperationTypeNode.QUERY : OperationTypeNode.MUTATION,
      variableDefinitions,
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    },
  ],
})

/** Validates against the role's part of the remote schema. Throws RequestError. */
export function requireValid(document: DocumentNode, { permitted }: RoleRemote, path: string): void {
  const [error] = validate(permitted, document, undefined, { maxErrors: 1 })
  if (error !== undefined) throw new RequestError(error.message, path)
}

/** Validates a selection on a type. The client doesn't control the path to it. Throws RequestError. */
export function requireValidSelection(
  { nodes, variables }: RemoteSelection,
  type: string,
  remote: RoleRemote,
  path: string,
): void {
  if (nodes.length === 0) return
  const fragment: FragmentDefinitionNode = {
    kind: Kind.FRAGMENT_DEFINITION,
    name: { kind: Kind.NAME, value: 'hasura_selection' },
    typeCondition: {
      kind: Kind.NAMED_TYPE,
      name: { kind: Kind.NAME, value: remote.names.upstreamType(type) },
    },
    selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
  }
  const [error] = validate(
    remote.permitted,
    { kind: Kind.DOCUMENT, definitions: [fragment] },
    variables.definitions.length === 0 ? specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule) : [],
    { maxErrors: 1 },
  )
  if (error !== undefined) throw new RequestError(error.message, path)
}

/** A document, and the values of its variables. */
interface RemoteOperation {
  readonly document: DocumentNode
  readonly values: Readonly<Record<string, JsonValue>>
}

/**
 * Adds the presets of the role's permission: arguments and fields of input objects that are hidden from the role.
 * Presets that are objects of custom scalars become variables beside those of the client. Throws RequestError when the
 * session lacks a variable.
 */
export function withPresets(
  document: DocumentNode,
  { definitions, values }: RemoteVariables,
  remote: RoleRemote,
  session: Readonly<Record<string, string>>,
): RemoteOperation {
  if (remote.presets.size === 0) return { document, values }
  const info = new TypeInfo(remote.upstream)
  // The names count on from the client's: a name that both had would put the client's value in the preset's place.
  const all: RemoteVariables = { definitions: [...definitions], values: { ...values } }
  const presetsOf = (owner: string, known: readonly { readonly name: string; readonly type: Input }[]) =>
    known.flatMap(({ name, type }) => {
      const preset = remote.presets.get(`${owner}.${name}`)
      if (preset === undefined) return []
      const value = preset.kind === 'static' ? preset.value : session[preset.name]
      if (value === undefined && preset.kind === 'session')
        throw new RequestError(`missing session variables: "${preset.name}"`, '$', 'not-found')
      const literal: ValueNode = remoteLiteral(sessionValue(value ?? null, type), type, remote.names, all)
      return [{ name: { kind: Kind.NAME, value: name } as const, value: literal }]
    })
  const completed: DocumentNode = visit(
    document,
    visitWithTypeInfo(info, {
      OperationDefinition: {
        leave: (node) => ({ ...node, variableDefinitions: all.definitions }),
      },
      Field: {
        enter: (node) => {
          const field = info.getFieldDef()
          const parent = info.getParentType()
          if (field == null || parent == null) return undefined
          const added = presetsOf(`${parent.name}.${field.name}`, field.args)
          if (added.length === 0) return undefined
          const args = added.map((each) => ({ kind: Kind.ARGUMENT, ...each }) as const)
          return { ...node, arguments: [...(node.arguments ?? []), ...args] }
        },
      },
      ObjectValue: {
        leave: (node) => {
          const input = info.getInputType()
          const type = input == null ? undefined : getNamedType(input)
          if (!isInputObjectType(type)) return undefined
          const added = presetsOf(type.name, Object.values(type.getFields()))
          if (added.length === 0) return undefined
          const fields = added.map((each) => ({ kind: Kind.OBJECT_FIELD, ...each }) as const)
          return { ...node, fields: [...node.fields, ...fields] }
        },
      },
    }),
  )
  return { document: completed, values: all.values }
}

type Input = Parameters<typeof remoteLiteral>[1]

/** A session variable is a text, converted for the argument's type. */
const sessionValue = (value: JsonValue, type: Input): JsonValue =>
  typeof value === 'string' && getNamedType(type).name === 'Boolean' ? value === 'true' : value
