import type { GraphQLObjectType } from 'graphql'
import { remoteDocument, requireValid } from '../remote/remote-document.ts'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import { readArguments } from './arguments.ts'
import { type CollectedField, collectFields } from './collect-fields.ts'
import { inputValidations } from './input-validation.ts'
import type { ObjectValue } from './input-value.ts'
import { planEntities } from './plan-entities.ts'
import { planRemoteField, planRemoteRoot } from './plan-remote.ts'
import { planRootMutation } from './plan-root-mutation.ts'
import { planRootSelect } from './plan-root-select.ts'
import { fieldOf, objectTypeOf } from './field-of.ts'
import type { SelectScope } from './select-scope.ts'
import { planStream } from './plan-stream.ts'
import { member } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { RootField, RootFieldPlan } from './root-field.ts'

/** A root type, and its kind of operation. */
export interface OperationRoot {
  readonly kind: 'query' | 'mutation' | 'subscription'
  readonly type: GraphQLObjectType
}

/** Plans a root field. Throws RequestError. */
export function planRootField(root: OperationRoot, collected: CollectedField, scope: SelectScope): RootField {
  const { key, path } = collected
  return { key, path, ...planField(root, collected, scope) }
}

function planField(root: OperationRoot, collected: CollectedField, scope: SelectScope): RootFieldPlan {
  const { kind: operation, type } = root
  const { name, node } = collected
  if (name === '__typename') return { kind: 'text', text: type.name }
  if ((name === '__schema' || name === '__type') && type.name === 'query_root' && scope.access.mayIntrospect)
    return { kind: 'introspection', node }
  const { field, meaning } = fieldOf(type, collected)
  if (meaning.kind === 'remote-field' || meaning.kind === 'remote-namespace')
    return planRemote(root, collected, meaning, scope)
  const given = readArguments(collected, field.args, scope)
  switch (meaning.kind) {
    case 'constant':
      return { kind: 'text', text: meaning.text }
    case 'action': {
      const { action, customTypes } = meaning
      return { kind: 'action', action, customTypes, arguments: given, collected, type: field.type }
    }
    case 'action-result':
      return {
        kind: 'action-result',
        action: meaning.action,
        id: uuidOf(given),
        collected,
        type: field.type,
      }
    case 'entities':
      return { kind: 'entities', entities: planEntities(meaning, given, collected, scope) }
    case 'service':
      return { kind: 'service', answer: planService(objectTypeOf(field.type), collected, scope) }
    case 'stream': {
      const stream = planStream(given, meaning.table, objectTypeOf(field.type), collected, scope)
      return { kind: 'stream', stream }
    }
    case 'node':
    case 'rows':
    case 'row-by-key':
    case 'rows-aggregate':
    case 'connection':
    case 'function':
    case 'function-connection':
    case 'native-query': {
      const select = planRootSelect(meaning, given, field.type, collected, scope)
      // A function that changes rows is in the mutation root.
      return operation === 'mutation'
        ? { kind: 'mutation', mutation: { kind: 'call', select }, validations: [] }
        : { kind: 'select', select }
    }
    case 'insert':
    case 'update':
    case 'update-by-key':
    case 'update-many':
    case 'delete':
    case 'delete-by-key': {
      const mutation = planRootMutation(meaning, given, objectTypeOf(field.type), collected, scope)
      return { kind: 'mutation', mutation, validations: inputValidations(meaning, given, scope) }
    }
    default:
      throw new Error(`${type.name}.${name} is no root field`)
  }
}

const planService = (
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  scope: SelectScope,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    collectFields(selections, type, scope, `${path}.selectionSet`).map((collected) => {
      if (collected.name === '__typename') return [collected.key, type.name]
      const { field, meaning } = fieldOf(type, collected)
      if (meaning.kind !== 'service-sdl') throw new Error(`${type.name}.${collected.name} is no SDL`)
      readArguments(collected, field.args, scope)
      return [collected.key, meaning.text()]
    }),
  )

/**
 * Plans a field of a remote schema, and validates the client's selection. Remote schemas have no subscriptions here.
 */
function planRemote(
  { kind, type }: OperationRoot,
  collected: CollectedField,
  meaning: Extract<FieldMeaning, { kind: 'remote-field' | 'remote-namespace' }>,
  scope: SelectScope,
): RootFieldPlan {
  const operation = kind === 'mutation' ? 'mutation' : 'query'
  const { remote } = meaning
  const isNamespace = meaning.kind === 'remote-namespace'
  const selection = isNamespace
    ? planRemoteRoot(objectTypeOf(fieldOf(type, collected).field.type), collected, remote, scope)
    : planRemoteField(type, collected, remote, scope)
  const { nodes, variables } = selection
  if (nodes.length > 0)
    requireValid(remoteDocument(operation, nodes, variables.definitions), remote, collected.path)
  return { kind: 'remote', operation, remote, isNamespace, selection }
}

/** The id of an action's result. Throws RequestError here, because the log of actions is read by it as a value. */
function uuidOf(given: ObjectValue): string {
  const input = member(given, 'id')
  if (input?.kind === 'leaf' && typeof input.value === 'string' && uuid.test(input.value)) return input.value
  const found = input?.kind === 'leaf' ? JSON.stringify(input.value) : 'null'
  throw new RequestError(`invalid input syntax for type uuid: ${found}`, `${given.path}.id`, 'parse-failed')
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
