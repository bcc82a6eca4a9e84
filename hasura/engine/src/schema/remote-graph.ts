import {
  type GraphQLField,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { relationshipTarget, type RemoteStep } from '../metadata/relationship-target.ts'
import { qualifiedKey, type RemoteRelationship } from '../metadata/types.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import { type RemoteTypes, createRemoteTypes } from './remote-types.ts'
import { type FieldConfigMap, field, listOf } from './row-field.ts'
import type { RowTypes } from './row-types.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, selectAccess, visibleColumns } from './schema-context.ts'
import type { ColumnModel, TableModel } from './source-model.ts'

/** The parts that remote schemas add to a role's schema. */
export interface RemoteGraph {
  readonly query: FieldConfigMap
  readonly mutation: FieldConfigMap
  readonly types: readonly GraphQLNamedType[]
  /** A table's fields that lead into remote schemas. */
  readonly tableFields: (table: TableModel) => FieldConfigMap
}

export function createRemoteGraph(
  context: SchemaContext,
  scalars: ScalarTypes,
  rows: () => RowTypes,
  remotes: readonly RoleRemote[],
): RemoteGraph {
  const graphs = new Map<string, { readonly remote: RoleRemote; readonly types: RemoteTypes }>()
  for (const remote of remotes)
    graphs.set(remote.name, {
      remote,
      types: createRemoteTypes(remote, scalars, (type) => typeFields(remote, type)),
    })

  /** A field with a remote schema's answer for the values of its left side. */
  const joinField = (
    { name }: RemoteRelationship,
    target: { readonly remoteSchema: string; readonly steps: readonly RemoteStep[] },
    lhs: readonly { readonly name: string; readonly column: ColumnModel | undefined }[],
  ): FieldConfigMap => {
    const graph = graphs.get(target.remoteSchema)
    const leaf = graph && fieldAt(graph.remote, target.steps)
    if (graph === undefined || leaf === undefined) return {}
    const { remote, types } = graph
    const given = target.steps.at(-1)?.arguments ?? {}
    const args: GraphQLFieldConfigArgumentMap = Object.fromEntries(
      leaf.args
        .filter((argument) => !(argument.name in given))
        .map((argument) => [
          argument.name,
          { type: types.input(argument.type), defaultValue: argument.defaultValue },
        ]),
    )
    // The type is nullable, because a null on the left gives null without a request.
    const type = getNullableType(types.output(leaf.type))
    return { [name]: field({ kind: 'remote-join', remote, steps: target.steps, lhs }, type, { args }) }
  }

  const typeFields = (remote: RoleRemote, typeName: string): FieldConfigMap => {
    const relationships = remote.relationships.find(({ type_name }) => type_name === typeName)?.relationships
    return Object.assign(
      {},
      ...(relationships ?? []).map((relationship): FieldConfigMap => {
        const target = relationshipTarget(relationship)
        if (target === undefined) return {}
        if (target.kind === 'remote-schema')
          return joinField(
            relationship,
            target,
            target.lhsFields.map((name) => ({ name, column: undefined })),
          )
        const table = context.source.tables.get(qualifiedKey(target.table))
        if (table === undefined || selectAccess(context, table) === undefined) return {}
        const mapping = Object.entries(target.mapping).flatMap(([own, name]) => {
          const column = table.columnsByName.get(name)
          return column === undefined ? [] : [{ field: own, column }]
        })
        const row = rows().row(table)
        return {
          [relationship.name]: field(
            { kind: 'source-join', table, list: target.list, mapping },
            target.list ? listOf(row) : row,
            target.list ? { args: rows().selectArguments(table) } : {},
          ),
        }
      }),
    ) as FieldConfigMap
  }

  return {
    query: merged([...graphs.values()].map(({ types }) => types.query)),
    mutation: merged([...graphs.values()].map(({ types }) => types.mutation)),
    types: [...graphs.values()].flatMap(({ types }) => types.named),
    tableFields: (table) =>
      merged(
        (table.metadata.remote_relationships ?? []).map((relationship) => {
          const target = relationshipTarget(relationship)
          if (target?.kind !== 'remote-schema') return {}
          const columns = visibleColumns(context, table)
          const lhs = target.lhsFields.map((name) => ({
            name,
            column: columns.find((column) => column.name === name || column.graphqlName === name),
          }))
          return lhs.every(({ column }) => column !== undefined) ? joinField(relationship, target, lhs) : {}
        }),
      ),
  }
}

const merged = (maps: readonly FieldConfigMap[]): FieldConfigMap =>
  Object.assign({}, ...maps) as FieldConfigMap

/** The field at the end of a path through a role's part of a remote schema. */
export function fieldAt(
  { permitted }: Pick<RoleRemote, 'permitted'>,
  steps: readonly RemoteStep[],
): GraphQLField<unknown, unknown> | undefined {
  let type: GraphQLOutputType | null | undefined = permitted.getQueryType()
  let found: GraphQLField<unknown, unknown> | undefined
  for (const { field: name } of steps) {
    const named: GraphQLNamedType | undefined = type == null ? undefined : getNamedType(type)
    if (!isObjectType(named) && !isInterfaceType(named)) return undefined
    found = named.getFields()[name]
    if (found === undefined) return undefined
    type = found.type
  }
  return found
}
