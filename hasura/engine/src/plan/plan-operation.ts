import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  isObjectType,
} from 'graphql'
import { type Action, type CustomTypes, qualifiedKey } from '../metadata/types.ts'
import { allOf } from '../schema/predicate.ts'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import { remoteDocument, requireValid } from '../remote/remote-document.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import type { RoleSchema } from '../schema/role-schema.ts'
import type { FunctionModel } from '../schema/source-model.ts'
import { sessionObject } from '../schema/computed-call.ts'
import type { CallArgument, ComputedCall } from '../schema/predicate.ts'
import { readArguments } from './arguments.ts'
import { type CollectedField, checkDirectives, collectFields, maxSelectedFields } from './collect-fields.ts'
import type { Operation } from './document.ts'
import type { JsonValue, ObjectValue } from './input-value.ts'
import { type InputValidation, inputValidations } from './input-validation.ts'
import { planFilter } from './plan-filter.ts'
import { nodeCondition, readNodeId } from './node-id.ts'
import { planConnection } from './plan-connection.ts'
import { type EntitiesPlan, planEntities } from './plan-entities.ts'
import { planInsert } from './plan-insert.ts'
import { planDelete, planKey, planResponse, planRowOutput, planUpdate, planUpdates } from './plan-mutation.ts'
import {
  type SelectScope,
  fieldOf,
  givenArguments,
  objectTypeOf,
  planAggregate,
  planRowFields,
  planRows,
  tableSource,
} from './plan-select.ts'
import { member, objectOf } from './plan-value.ts'
import { planRemoteField, planRemoteRoot } from './plan-remote.ts'
import { JoinRegistry, type RemoteSelection } from './remote-joins.ts'
import { RequestError } from './request-error.ts'
import { planStream } from './plan-stream.ts'
import type { MutationPlan, RowSource, SelectPlan, StreamPlan } from './tree.ts'
import { readVariables } from './variables.ts'

/** A root field of an operation: what to run for it, and the key and path of its answer. */
export type RootField = RootFieldPlace & RootFieldPlan

export interface RootFieldPlace {
  readonly key: string
  readonly path: string
  readonly namespace?: NamespacePlace
}

/** Where a field stands below the source's namespace. The fields of one namespace follow each other. */
export interface NamespacePlace {
  readonly key: string
  readonly isFirst: boolean
  readonly isLast: boolean
}

type RootFieldPlan =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'introspection'; readonly node: FieldNode }
  | { readonly kind: 'select'; readonly select: SelectPlan }
  /** Apollo Federation's description of the schema, by the keys of the answer. */
  | { readonly kind: 'service'; readonly answer: Readonly<Record<string, string>> }
  | { readonly kind: 'entities'; readonly entities: EntitiesPlan }
  | { readonly kind: 'stream'; readonly stream: StreamPlan }
  | {
      readonly kind: 'mutation'
      readonly mutation: MutationPlan
      readonly validations: readonly InputValidation[]
    }
  | {
      readonly kind: 'action'
      readonly action: Action
      readonly customTypes: CustomTypes
      readonly arguments: ObjectValue
      readonly collected: CollectedField
      readonly type: GraphQLOutputType
    }
  | {
      readonly kind: 'remote'
      readonly operation: 'query' | 'mutation'
      readonly remote: RoleRemote
      /** Whether the field stands for all of the remote schema's root. */
      readonly isNamespace: boolean
      readonly selection: RemoteSelection
    }
  | {
      readonly kind: 'action-result'
      readonly action: Action
      /** A uuid. */
      readonly id: string
      readonly collected: CollectedField
      readonly type: GraphQLOutputType
    }

export interface OperationPlan {
  readonly kind: 'query' | 'mutation' | 'subscription'
  readonly fields: readonly RootField[]
  readonly scope: SelectScope
}

/** Turns an operation into a tree per root field. Throws RequestError, in Hasura's words, if it is not valid. */
export const planOperation = (
  operation: Operation,
  given: Readonly<Record<string, JsonValue>>,
  { schema, access, source }: RoleSchema,
): OperationPlan => {
  const { definition, fragments } = operation
  const root = rootType(definition, schema)
  const directives = (definition.directives ?? []).filter(({ name }) => name.value !== severalFields)
  checkDirectives(directives, location(definition), { schema }, '$')
  const variables = readVariables(operation, given)
  const budget = { fields: maxSelectedFields }
  const scope: SelectScope = {
    schema,
    access,
    source,
    fragments,
    variables,
    budget,
    joins: new JoinRegistry(),
  }
  const fields = collectFields([definition.selectionSet], root.type, scope, '$.selectionSet').flatMap(
    (collected) => planTopField(root, collected, scope),
  )
  if (
    root.kind === 'subscription' &&
    fields.length !== 1 &&
    directives.length === definition.directives?.length
  )
    throw new RequestError('subscriptions must select one top level field', '$')
  return { kind: root.kind, fields, scope }
}

/** Hasura's own directive for subscriptions to several root fields; its schema does not show it. */
const severalFields = '_multiple_top_level_fields'

const location = ({ operation }: OperationDefinitionNode) =>
  operation === OperationTypeNode.QUERY
    ? 'QUERY'
    : operation === OperationTypeNode.MUTATION
      ? 'MUTATION'
      : 'SUBSCRIPTION'

/** A type with root fields, and for which kind of operation they are. */
interface OperationRoot {
  readonly kind: OperationPlan['kind']
  readonly type: GraphQLObjectType
}

/** Remote schemas are not subscribed to. */
const remoteOperation = (kind: OperationPlan['kind']): 'query' | 'mutation' =>
  kind === 'mutation' ? 'mutation' : 'query'

const rootType = ({ operation }: OperationDefinitionNode, schema: GraphQLSchema): OperationRoot => {
  const query = schema.getQueryType()
  const mutation = schema.getMutationType()
  if (operation === OperationTypeNode.QUERY && query != null) return { kind: 'query', type: query }
  if (operation === OperationTypeNode.MUTATION && mutation != null)
    return { kind: 'mutation', type: mutation }
  if (operation === OperationTypeNode.MUTATION) throw new RequestError('no mutations exist', '$')
  const subscription = schema.getSubscriptionType()
  if (subscription != null) return { kind: 'subscription', type: subscription }
  throw new RequestError('no subscriptions exist', '$')
}

/** The field itself, or the root fields of the source that are asked for below it. */
const planTopField = (
  root: OperationRoot,
  collected: CollectedField,
  scope: SelectScope,
): readonly RootField[] => {
  const declared = root.type.getFields()[collected.name]
  if (declared?.extensions.meaning?.kind !== 'source-namespace')
    return [planRootField(root, collected, scope)]
  const { field } = fieldOf(root.type, collected)
  const { key, selections, path } = collected
  const inner: OperationRoot = { kind: root.kind, type: objectTypeOf(field.type) }
  const below = collectFields(selections, inner.type, scope, `${path}.selectionSet`)
  return below.map((each, index) => ({
    ...planRootField(inner, each, scope),
    namespace: { key, isFirst: index === 0, isLast: index === below.length - 1 },
  }))
}

const planRootField = (
  { kind: operation, type }: OperationRoot,
  collected: CollectedField,
  scope: SelectScope,
): RootField => {
  const { key, name, path, node } = collected
  if (name === '__typename') return { key, path, kind: 'text', text: type.name }
  if ((name === '__schema' || name === '__type') && type.name === 'query_root' && scope.access.mayIntrospect)
    return { key, path, kind: 'introspection', node }
  const { field, meaning } = fieldOf(type, collected)
  if (meaning.kind === 'remote-field' || meaning.kind === 'remote-namespace') {
    const selected = planRemoteRootField({ kind: operation, type }, collected, meaning, scope)
    return { key, path, kind: 'remote', operation: remoteOperation(operation), ...selected }
  }
  const given = readArguments(collected, field.args, scope)
  if (meaning.kind === 'action-result') {
    const id = uuidOf(given)
    return { key, path, kind: 'action-result', action: meaning.action, id, collected, type: field.type }
  }
  if (meaning.kind === 'action') {
    const { action, customTypes } = meaning
    return { key, path, kind: 'action', action, customTypes, arguments: given, collected, type: field.type }
  }
  if (meaning.kind === 'entities')
    return { key, path, kind: 'entities', entities: planEntities(meaning, given, collected, scope) }
  if (meaning.kind === 'node') return { key, path, kind: 'select', select: planNode(given, collected, scope) }
  const inner = objectTypeOf(field.type)
  if (meaning.kind === 'service')
    return { key, path, kind: 'service', answer: planService(inner, collected, scope) }
  if (meaning.kind === 'stream')
    return { key, path, kind: 'stream', stream: planStream(given, meaning.table, inner, collected, scope) }
  const select = planSelect(meaning, given, inner, collected, scope)
  if (select !== undefined)
    return operation === 'mutation'
      ? { key, path, kind: 'mutation', mutation: { kind: 'call', select }, validations: [] }
      : { key, path, kind: 'select', select }
  const mutation = planMutation(meaning, given, inner, collected, scope)
  if (mutation === undefined) throw new Error(`${type.name}.${node.name.value} is no root field`)
  return { key, path, kind: 'mutation', mutation, validations: inputValidations(meaning, given, scope) }
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

/** The selection is checked here, as far as it is the client's. */
const planRemoteRootField = (
  { kind, type }: OperationRoot,
  collected: CollectedField,
  meaning: Extract<FieldMeaning, { kind: 'remote-field' | 'remote-namespace' }>,
  scope: SelectScope,
): Pick<Extract<RootField, { kind: 'remote' }>, 'remote' | 'isNamespace' | 'selection'> => {
  const { remote } = meaning
  const isNamespace = meaning.kind === 'remote-namespace'
  const selection = isNamespace
    ? planRemoteRoot(objectTypeOf(fieldOf(type, collected).field.type), collected, remote, scope)
    : planRemoteField(type, collected, remote, scope)
  const { nodes, variables } = selection
  if (nodes.length > 0)
    requireValid(remoteDocument(remoteOperation(kind), nodes, variables.definitions), remote, collected.path)
  return { remote, isNamespace, selection }
}

/** Refused here, because the log of actions is asked for it as a value. */
const uuidOf = (given: ObjectValue): string => {
  const input = member(given, 'id')
  if (input?.kind === 'leaf' && typeof input.value === 'string' && uuid.test(input.value)) return input.value
  const found = input?.kind === 'leaf' ? JSON.stringify(input.value) : 'null'
  throw new RequestError(`invalid input syntax for type uuid: ${found}`, `${given.path}.id`, 'parse-failed')
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `node(id)`: the row that the id names, if the role may see it, as what it is. */
const planNode = (
  given: ObjectValue,
  { selections, path }: CollectedField,
  scope: SelectScope,
): SelectPlan => {
  const input = member(given, 'id')
  const text = input?.kind === 'leaf' && typeof input.value === 'string' ? input.value : ''
  const id = readNodeId(text, `${path}.args.id`)
  const table = scope.source.tables.get(qualifiedKey({ schema: id.schema, name: id.table }))
  const type = table === undefined ? undefined : scope.schema.getType(table.typeName)
  if (table === undefined || !isObjectType(type) || type.getInterfaces().length === 0)
    throw new RequestError(`the node id is invalid: table "${id.table}" has no nodes`, path)
  const rows = planRows(tableSource(table), [], { ...given, fields: new Map() }, table, scope)
  const filter = allOf([rows.filter, nodeCondition(id, table, path)])
  const fields = planRowFields(type, selections, table, scope, path)
  return { kind: 'row', rows: { ...rows, filter, limit: undefined }, fields }
}

const planSelect = (
  meaning: FieldMeaning,
  given: ObjectValue,
  type: GraphQLObjectType,
  collected: CollectedField,
  scope: SelectScope,
): SelectPlan | undefined => {
  const { selections, path } = collected
  switch (meaning.kind) {
    case 'rows': {
      const rows = planRows(tableSource(meaning.table), [], given, meaning.table, scope)
      return { kind: 'rows', rows, fields: planRowFields(type, selections, meaning.table, scope, path) }
    }
    case 'row-by-key': {
      const { table } = meaning
      const rows = planRows(tableSource(table), [], { ...given, fields: new Map() }, table, scope)
      const filter = { kind: 'and' as const, operands: [rows.filter, planKey(given, table, scope)] }
      const fields = planRowFields(type, selections, table, scope, path)
      return { kind: 'row', rows: { ...rows, filter, limit: undefined }, fields }
    }
    case 'rows-aggregate':
      return planAggregate(tableSource(meaning.table), [], given, meaning.table, type, collected, scope)
    case 'connection':
      return planConnection(tableSource(meaning.table), [], given, meaning.table, type, collected, scope)
    case 'function-connection': {
      const { function: model, table } = meaning
      const from: RowSource = { kind: 'function', name: table.name, call: functionCall(model, given) }
      return planConnection(from, [], given, table, type, collected, scope)
    }
    case 'function': {
      const { function: model, table } = meaning
      const from: RowSource = { kind: 'function', name: table.name, call: functionCall(model, given) }
      if (meaning.aggregate) return planAggregate(from, [], given, table, type, collected, scope)
      const rows = planRows(from, [], given, table, scope)
      const fields = planRowFields(type, selections, table, scope, path)
      return { kind: model.catalog.returnsSet ? 'rows' : 'row', rows, fields }
    }
    default:
      return undefined
  }
}

/** A tracked function's call: by position up to the first argument left out, by name from there on. */
const functionCall = (model: FunctionModel, given: ObjectValue): ComputedCall => {
  const input = member(given, 'args')
  const values = givenArguments(model.arguments, input)
  const path = `${given.path}.args`
  let omitted = false
  const args = model.catalog.arguments.flatMap(({ name }, index): CallArgument[] => {
    const own = model.arguments.find((argument) => argument.index === index)
    const value = own === undefined ? sessionObject : values.get(own.graphqlName)
    if (value === undefined) {
      if (own?.hasDefault !== true)
        throw new RequestError('Non default arguments cannot be omitted', path, 'not-supported')
      omitted = true
      return []
    }
    if (omitted && name === undefined)
      throw new RequestError('Only last set of positional arguments can be omitted', path, 'not-supported')
    return [{ name: omitted ? name : undefined, value }]
  })
  return { function: model.catalog.name, arguments: args }
}

const planMutation = (
  meaning: FieldMeaning,
  given: ObjectValue,
  type: GraphQLObjectType,
  collected: CollectedField,
  scope: SelectScope,
): MutationPlan | undefined => {
  const { selections, path } = collected
  switch (meaning.kind) {
    case 'insert': {
      const { table } = meaning
      const output = meaning.one
        ? planRowOutput(type, collected, table, scope)
        : planResponse(type, selections, table, scope, path)
      return planInsert(given, table, output, scope)
    }
    case 'update': {
      const { table } = meaning
      const chosen = planFilter(member(given, 'where'), table, scope)
      return planUpdate(given, chosen, table, planResponse(type, selections, table, scope, path), scope)
    }
    case 'update-by-key': {
      const { table } = meaning
      const key = objectOf(given.fields.get('pk_columns') ?? given)
      return planUpdate(
        given,
        planKey(key, table, scope),
        table,
        planRowOutput(type, collected, table, scope),
        scope,
      )
    }
    case 'update-many': {
      const { table } = meaning
      const output = planResponse(type, selections, table, scope, path)
      return { kind: 'update-many', updates: planUpdates(given, table, output, scope) }
    }
    case 'delete': {
      const { table } = meaning
      const chosen = planFilter(member(given, 'where'), table, scope)
      return planDelete(chosen, table, planResponse(type, selections, table, scope, path), scope)
    }
    case 'delete-by-key': {
      const { table } = meaning
      return planDelete(
        planKey(given, table, scope),
        table,
        planRowOutput(type, collected, table, scope),
        scope,
      )
    }
    default:
      return undefined
  }
}
