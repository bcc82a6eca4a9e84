import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  Kind,
  type TypeNode,
  getNullableType,
  isInputType,
  isOutputType,
  parseType,
} from 'graphql'
import { isAsynchronous } from '../metadata/action.ts'
import { type Action, type CustomTypes, qualifiedKey } from '../metadata/types.ts'
import { memoize } from './memoize.ts'
import { type FieldConfig, type FieldConfigMap, field, listOf } from './row-field.ts'
import type { RowTypes } from './row-types.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, selectAccess } from './schema-context.ts'
import type { ColumnModel } from './source-model.ts'

type NamedType =
  | GraphQLObjectType
  | GraphQLInputObjectType
  | GraphQLEnumType
  | ReturnType<ScalarTypes['scalar']>

export interface ActionTypes {
  /** The field that runs an action. */
  readonly run: (action: Action) => FieldConfig
  /** The field that reads the result of an asynchronous action. */
  readonly result: (action: Action) => FieldConfig
}

/** Builds the root fields of an action over the custom types of the metadata. */
export function createActionTypes(
  context: SchemaContext,
  scalars: ScalarTypes,
  rows: RowTypes,
  customTypes: CustomTypes,
): ActionTypes {
  const named: (name: string) => NamedType = memoize((name) => {
    const input = customTypes.input_objects?.find((type) => type.name === name)
    if (input !== undefined) return inputObject(input, inputType)
    const object = customTypes.objects?.find((type) => type.name === name)
    if (object !== undefined) return outputObject(context, object, rows, outputType)
    const enumeration = customTypes.enums?.find((type) => type.name === name)
    // Any other name is a scalar: a custom one, or one of GraphQL or Postgres.
    return enumeration === undefined ? scalars.scalar(name) : enumType(enumeration)
  })
  const outputType = (text: string): GraphQLOutputType => {
    const type = wrapped(parseType(text), named)
    if (!isOutputType(type)) throw new Error(`${text} is not a type for an answer`)
    return type
  }
  const inputType = (text: string): GraphQLInputType => {
    const type = wrapped(parseType(text), named)
    if (!isInputType(type)) throw new Error(`${text} is not a type for an argument`)
    return type
  }
  const run = (action: Action): FieldConfig => {
    const args: GraphQLFieldConfigArgumentMap = Object.fromEntries(
      (action.definition.arguments ?? []).map(({ name, type, description }) => [
        name,
        { type: inputType(type), description: description ?? null },
      ]),
    )
    const description = action.comment === undefined ? {} : { description: action.comment }
    const output = isAsynchronous(action) ? new GraphQLNonNull(scalars.scalar('uuid')) : outputOf(action)
    return field({ kind: 'action', action, customTypes }, output, { args, ...description })
  }
  const outputOf = (action: Action) => outputType(action.definition.output_type ?? 'Boolean')
  const resultType: (action: Action) => GraphQLObjectType = memoize((action) => {
    const part = (type: GraphQLOutputType, description: string) =>
      field({ kind: 'answer-field' }, type, { description })
    return new GraphQLObjectType({
      name: action.name,
      description: `fields of action: "${action.name}"`,
      fields: () => ({
        id: part(new GraphQLNonNull(scalars.scalar('uuid')), 'the unique id of an action'),
        created_at: part(
          new GraphQLNonNull(scalars.scalar('timestamptz')),
          'the time at which this action was created',
        ),
        errors: part(scalars.scalar('json'), 'errors related to the invocation'),
        output: part(getNullableType(outputOf(action)), 'the output fields of this action'),
      }),
    })
  })
  const result = (action: Action): FieldConfig =>
    field({ kind: 'action-result', action }, resultType(action), {
      args: {
        id: {
          type: new GraphQLNonNull(scalars.scalar('uuid')),
          description: 'the unique id of an action',
        },
      },
      description: action.comment ?? null,
    })
  return { run, result }
}

type Wrapped = NamedType | GraphQLList<Wrapped> | GraphQLNonNull<NamedType | GraphQLList<Wrapped>>

function wrapped(node: TypeNode, named: (name: string) => NamedType): Wrapped {
  switch (node.kind) {
    case Kind.NAMED_TYPE:
      return named(node.name.value)
    case Kind.LIST_TYPE:
      return new GraphQLList(wrapped(node.type, named))
    case Kind.NON_NULL_TYPE: {
      const inner =
        node.type.kind === Kind.NAMED_TYPE
          ? named(node.type.name.value)
          : new GraphQLList(wrapped(node.type.type, named))
      return new GraphQLNonNull(inner)
    }
    default:
      return node satisfies never
  }
}

const inputObject = (
  { name, description, fields }: NonNullable<CustomTypes['input_objects']>[number],
  typeOf: (text: string) => GraphQLInputType,
): GraphQLInputObjectType =>
  new GraphQLInputObjectType({
    name,
    description: description ?? null,
    fields: () =>
      Object.fromEntries(
        fields.map((entry) => [
          entry.name,
          { type: typeOf(entry.type), description: entry.description ?? null },
        ]),
      ),
  })

const enumType = ({
  name,
  description,
  values,
}: NonNullable<CustomTypes['enums']>[number]): GraphQLEnumType =>
  new GraphQLEnumType({
    name,
    description: description ?? null,
    values: Object.fromEntries(
      values.map((entry) => [
        entry.value,
        {
          description: entry.description ?? null,
          ...(entry.is_deprecated === true ? { deprecationReason: 'No longer supported' } : {}),
        },
      ]),
    ),
  })

type ObjectDeclaration = NonNullable<CustomTypes['objects']>[number]

const outputObject = (
  context: SchemaContext,
  declaration: ObjectDeclaration,
  rows: RowTypes,
  typeOf: (text: string) => GraphQLOutputType,
): GraphQLObjectType =>
  new GraphQLObjectType({
    name: declaration.name,
    description: declaration.description ?? null,
    fields: () => ({
      ...Object.fromEntries(
        declaration.fields.map(({ name, type, description }): [string, FieldConfig] => [
          name,
          field({ kind: 'answer-field' }, typeOf(type), description === undefined ? {} : { description }),
        ]),
      ),
      ...answerRelationships(context, declaration, rows),
    }),
  })

/** Relationships of an answer to tables that the role may read. Others are left out. */
function answerRelationships(
  context: SchemaContext,
  { relationships }: ObjectDeclaration,
  rows: RowTypes,
): FieldConfigMap {
  const fields: FieldConfigMap = {}
  for (const { name, type, remote_table, field_mapping } of relationships ?? []) {
    const table = context.source.tables.get(qualifiedKey(remote_table))
    if (table === undefined || selectAccess(context, table) === undefined) continue
    const mapping = Object.entries(field_mapping).map(([own, remote]) => ({
      field: own,
      column: table.columnsByName.get(remote),
    }))
    if (!mapping.every(hasColumn)) continue
    const list = type === 'array'
    fields[name] = field(
      { kind: 'answer-relationship', table, list, mapping },
      list ? listOf(rows.row(table)) : rows.row(table),
      list ? { args: rows.selectArguments(table) } : {},
    )
  }
  return fields
}

const hasColumn = (entry: {
  readonly field: string
  readonly column: ColumnModel | undefined
}): entry is { readonly field: string; readonly column: ColumnModel } => entry.column !== undefined
