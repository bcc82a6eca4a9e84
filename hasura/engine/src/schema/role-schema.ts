import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLSchemaConfig,
  GraphQLString,
} from 'graphql'
import { isAsynchronous } from '../metadata/action.ts'
import type { Metadata } from '../metadata/types.ts'
import { roleParents } from './inherited-permissions.ts'
import { createActionTypes } from './action-types.ts'
import { directives } from './directives.ts'
import { entityTables, federationFields } from './federation-types.ts'
import { createFilterTypes } from './filter-types.ts'
import { columnInput } from './input-rule.ts'
import { renamed } from './naming.ts'
import type { SchemaFeature } from './schema-feature.ts'
import { type MutationTypes, createMutationTypes } from './mutation-types.ts'
import {
  type RoleAccessOptions,
  type RoleAccess,
  type SelectAccess,
  createRoleAccess,
} from './role-access.ts'
import { type FieldConfig, type FieldConfigMap, field, listOf } from './row-field.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import { createRemoteGraph } from './remote-graph.ts'
import { type RowTypes, createRowTypes } from './row-types.ts'
import { type ScalarTypes, createScalarTypes } from './scalar-types.ts'
import {
  type SchemaContext,
  isAddressable,
  isSelectable,
  primaryKeyColumns,
  tableOf,
  streamableColumns,
} from './schema-context.ts'
import type { FunctionModel, SourceModel, TableModel } from './source-model.ts'
import { nativeQueryFields } from './native-query-fields.ts'
import { inSourceNamespace } from './source-namespace.ts'
import { type StreamArguments, createStreamArguments } from './stream-types.ts'

/** What a role sees: the GraphQL schema, and the permissions behind it. */
export interface RoleSchema {
  readonly schema: GraphQLSchema
  readonly access: RoleAccess
  readonly source: SourceModel
}

interface TypeBuilders {
  readonly scalars: ScalarTypes
  readonly rows: RowTypes
  readonly mutations: MutationTypes
  readonly streamArguments: StreamArguments
}

/** Hasura has two GraphQL APIs over the same metadata. */
export type GraphQLApi = 'graphql' | 'relay'

/** Builds the schema of a role, with exactly what it may do. */
export const buildRoleSchema = (
  metadata: Metadata,
  source: SourceModel,
  options: Omit<RoleAccessOptions, 'parents' | 'mayIntrospect'> & {
    readonly api: GraphQLApi
    /** Whether it has the fields of Apollo Federation; Relay's never has. */
    readonly federation?: boolean
    readonly features?: readonly SchemaFeature[]
  },
  remotes: readonly RoleRemote[] = [],
): RoleSchema => {
  const hidden = metadata.graphql_schema_introspection?.disabled_for_roles ?? []
  const access = createRoleAccess(source, {
    ...options,
    parents: roleParents(metadata),
    mayIntrospect: !hidden.includes(options.role),
  })
  const context: SchemaContext = { source, access, features: options.features ?? [] }
  const scalars = createScalarTypes(context)
  const filters = createFilterTypes(context, scalars)
  const forRelay = options.api === 'relay'
  const rows = createRowTypes(context, scalars, filters, {
    forRelay,
    moreFields: (table) => remoteGraph.tableFields(table),
  })
  // Relay's schema has nodes of the source alone.
  const remoteGraph = createRemoteGraph(context, scalars, () => rows, forRelay ? [] : remotes)
  const mutations = createMutationTypes(context, scalars, filters, rows)
  const streamArguments = createStreamArguments(context, scalars, filters)
  const builders = { scalars, rows, mutations, streamArguments }
  const actionTypes = createActionTypes(context, scalars, rows, metadata.custom_types ?? {})
  const actions = (metadata.actions ?? []).filter((action) => access.mayRun(action))
  const actionFields = (type: 'query' | 'mutation'): FieldConfigMap =>
    Object.fromEntries(
      actions
        .filter(({ definition }) => (definition.type ?? 'mutation') === type)
        .map((action) => [action.name, actionTypes.run(action)]),
    )
  const actionResults: FieldConfigMap = Object.fromEntries(
    actions.filter(isAsynchronous).map((action) => [action.name, actionTypes.result(action)]),
  )
  const tables = [...source.tables.values()]
  const relay = forRelay ? relayFields(context, rows) : undefined
  const nativeQueries = nativeQueryFields(context, rows, scalars)
  const query: FieldConfigMap = relay ?? {
    ...inSourceNamespace(
      {
        ...merged(tables.map((table) => queryFields(context, table, builders))),
        ...functionFields(context, 'query', rows),
        ...nativeQueries,
      },
      'query',
      source,
    ),
    ...actionFields('query'),
    ...actionResults,
    ...remoteGraph.query,
  }
  const subscription: FieldConfigMap = relay ?? {
    ...inSourceNamespace(
      {
        ...merged(tables.map((table) => subscriptionFields(context, table, builders))),
        ...functionFields(context, 'query', rows),
        ...nativeQueries,
      },
      'subscription',
      source,
    ),
    ...actionResults,
  }
  const mutation: FieldConfigMap = {
    ...inSourceNamespace(
      {
        ...merged(tables.map((table) => mutationFields(context, table, builders, filters.boolExp))),
        ...functionFields(context, 'mutation', rows),
      },
      options.backendOnly ? 'mutation_backend' : 'mutation_frontend',
      source,
    ),
    ...actionFields('mutation'),
    ...remoteGraph.mutation,
  }
  const isFederated = options.federation === true && !forRelay
  const entities = isFederated ? entityTables(context) : []
  const others: Omit<GraphQLSchemaConfig, 'query'> = {
    mutation:
      Object.keys(mutation).length === 0
        ? null
        : new GraphQLObjectType({ name: 'mutation_root', description: 'mutation root', fields: mutation }),
    subscription:
      Object.keys(subscription).length === 0
        ? null
        : new GraphQLObjectType({ name: 'subscription_root', fields: subscription }),
    types: [
      ...(forRelay ? tables.filter((table) => rows.relay?.isNode(table) === true).map(rows.row) : []),
      ...entities.map(rows.row),
      ...remoteGraph.types,
    ],
    directives,
    assumeValid: true,
  }
  const schemaOf = (fields: FieldConfigMap): GraphQLSchema =>
    new GraphQLSchema({ ...others, query: new GraphQLObjectType({ name: 'query_root', fields }) })
  const schema = schemaOf(orPlaceholder(query))
  if (!isFederated) return { schema, access, source }
  const federated = federationFields(schema, context, entities, rows.row)
  return { schema: schemaOf({ ...orPlaceholder(query), ...federated }), access, source }
}

/** GraphQL wants a root type to have a field even where a role may do nothing. */
const orPlaceholder = (fields: FieldConfigMap): FieldConfigMap =>
  Object.keys(fields).length > 0
    ? fields
    : {
        no_queries_available: field(
          { kind: 'constant', text: noQueries },
          new GraphQLNonNull(GraphQLString),
          { description: noQueries },
        ),
      }

const noQueries =
  "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions."

const merged = (maps: readonly FieldConfigMap[]): FieldConfigMap =>
  Object.assign({}, ...maps) as FieldConfigMap

const keyArguments = (table: TableModel, scalars: ScalarTypes): GraphQLFieldConfigArgumentMap =>
  Object.fromEntries(
    primaryKeyColumns(table).map((column) => [
      column.graphqlName,
      columnInput(new GraphQLNonNull(scalars.ofColumn(column)), { description: column.comment }),
    ]),
  )

const queryFields = (context: SchemaContext, table: TableModel, builders: TypeBuilders): FieldConfigMap => {
  const select = context.access.table(table).select
  if (select === undefined) return {}
  return described(selectFields(context, table, select, select.queryFields, builders), table)
}

/** With the descriptions that the table's metadata has for its root fields. */
const described = (fields: FieldConfigMap, { rootFieldComments }: TableModel): FieldConfigMap =>
  Object.fromEntries(
    Object.entries(fields).map(([name, config]) => {
      const comment = rootFieldComments.get(name)
      return [name, comment === undefined ? config : { ...config, description: comment || null }]
    }),
  )

const subscriptionFields = (
  context: SchemaContext,
  table: TableModel,
  builders: TypeBuilders,
): FieldConfigMap => {
  const select = context.access.table(table).select
  if (select === undefined) return {}
  const { rootFields, name } = table
  const fields = selectFields(context, table, select, select.subscriptionFields, builders)
  const isStreamed =
    !context.features.includes('hide_stream_fields') &&
    select.subscriptionFields.has('select_stream') &&
    streamableColumns(context, table).length > 0
  if (isStreamed)
    fields[rootFields.selectStream] = field({ kind: 'stream', table }, listOf(builders.rows.row(table)), {
      args: builders.streamArguments(table),
      description: `fetch data from the table in a streaming manner: "${name.name}"`,
    })
  return described(fields, table)
}

const selectFields = (
  context: SchemaContext,
  table: TableModel,
  select: SelectAccess,
  allowed: ReadonlySet<string>,
  { scalars, rows }: TypeBuilders,
): FieldConfigMap => {
  const { rootFields, name } = table
  const fields: FieldConfigMap = {}
  const args = rows.selectArguments(table)
  if (allowed.has('select'))
    fields[rootFields.select] = field({ kind: 'rows', table }, listOf(rows.row(table)), {
      args,
      description: `fetch data from the table: "${name.name}"`,
    })
  if (select.aggregations && allowed.has('select_aggregate'))
    fields[rootFields.selectAggregate] = field(
      { kind: 'rows-aggregate', table },
      new GraphQLNonNull(rows.aggregate(table)),
      { args, description: `fetch aggregated fields from the table: "${name.name}"` },
    )
  if (isAddressable(context, table) && allowed.has('select_by_pk'))
    fields[rootFields.selectByPk] = field({ kind: 'row-by-key', table }, rows.row(table), {
      args: keyArguments(table, scalars),
      description: `fetch data from the table: "${name.name}" using primary key columns`,
    })
  return fields
}

/** Relay's root: a connection for each table and function whose rows have ids, and the row behind any id. */
const relayFields = (context: SchemaContext, rows: RowTypes): FieldConfigMap => {
  const { relay } = rows
  const fields: FieldConfigMap = {}
  if (relay === undefined) return fields
  const connection = (table: TableModel) => new GraphQLNonNull(relay.connection(table))
  for (const table of context.source.tables.values())
    if (relay.isNode(table) && context.access.table(table).select?.queryFields.has('select') === true)
      fields[table.rootFields.selectConnection] = field({ kind: 'connection', table }, connection(table), {
        args: rows.connectionArguments(table),
        description: `fetch data from the table: "${table.name.name}"`,
      })
  for (const model of context.source.functions) {
    const table = tableOf(context, model.table)
    if (model.exposedAs !== 'query' || !relay.isNode(table) || !model.catalog.returnsSet) continue
    if (!context.access.mayCall(model.metadata, 'query')) continue
    fields[model.connectionRootField] = field(
      { kind: 'function-connection', function: model, table },
      connection(table),
      {
        args: {
          ...rows.functionArguments(model.argumentsTypeName, model.arguments),
          ...rows.connectionArguments(table),
        },
        description: `execute function "${model.metadata.function.name}" which returns "${table.name.name}"`,
      },
    )
  }
  if (Object.keys(fields).length === 0) return fields
  return {
    ...inSourceNamespace(fields, 'query', context.source),
    node: field({ kind: 'node' }, relay.node, {
      args: { id: { type: new GraphQLNonNull(GraphQLID), description: 'A globally unique id' } },
    }),
  }
}

const functionFields = (
  context: SchemaContext,
  root: 'query' | 'mutation',
  rows: RowTypes,
): FieldConfigMap => {
  const fields: FieldConfigMap = {}
  for (const model of context.source.functions) {
    const table = tableOf(context, model.table)
    if (model.exposedAs !== root || !isSelectable(context, table)) continue
    if (!context.access.mayCall(model.metadata, root)) continue
    fields[model.rootField] = functionField(model, table, rows, false)
    const aggregates = root === 'query' && context.access.table(table).select?.aggregations === true
    if (aggregates && model.catalog.returnsSet)
      fields[model.aggregateRootField] = functionField(model, table, rows, true)
  }
  return fields
}

const functionField = (
  model: FunctionModel,
  table: TableModel,
  rows: RowTypes,
  aggregate: boolean,
): FieldConfig => {
  const single = model.catalog.returnsSet ? listOf(rows.row(table)) : rows.row(table)
  const type = aggregate ? new GraphQLNonNull(rows.aggregate(table)) : single
  return field({ kind: 'function', function: model, table, aggregate }, type, {
    args: {
      ...rows.functionArguments(model.argumentsTypeName, model.arguments),
      ...rows.selectArguments(table),
    },
    description: functionDescription(model, table, aggregate),
  })
}

/** A comment describes the function where it is asked for rows in a query. */
const functionDescription = (
  { metadata, catalog, exposedAs }: FunctionModel,
  table: TableModel,
  aggregate: boolean,
): string => {
  const { name } = metadata.function
  if (exposedAs === 'mutation')
    return `execute VOLATILE function "${name}" which returns "${table.name.name}"`
  if (aggregate)
    return `execute function "${name}" and query aggregates on result of table type "${table.name.name}"`
  const comment = metadata.comment ?? catalog.comment
  return comment ?? `execute function "${name}" which returns "${table.name.name}"`
}

const mutationFields = (
  context: SchemaContext,
  table: TableModel,
  { scalars, rows, mutations }: TypeBuilders,
  boolExp: (table: TableModel) => GraphQLFieldConfigArgumentMap[string]['type'],
): FieldConfigMap => {
  const access = context.access.table(table)
  const { rootFields, name } = table
  const fields: FieldConfigMap = {}
  const response = mutations.response(table)
  const where = (done: string) => ({
    where: {
      type: new GraphQLNonNull(boolExp(table)),
      description: `filter the rows which have to be ${done}`,
    },
  })
  if (access.insert !== undefined) {
    const input = new GraphQLNonNull(mutations.insertInput(table))
    const conflict = mutations.onConflict(table)
    fields[rootFields.insert] = field({ kind: 'insert', table, one: false }, response, {
      args: {
        objects: {
          type: new GraphQLNonNull(new GraphQLList(input)),
          description: 'the rows to be inserted',
        },
        ...conflict,
      },
      description: `insert data into the table: "${name.name}"`,
    })
    if (access.select !== undefined)
      fields[rootFields.insertOne] = field({ kind: 'insert', table, one: true }, rows.row(table), {
        args: { object: { type: input, description: 'the row to be inserted' }, ...conflict },
        description: `insert a single row into the table: "${name.name}"`,
      })
  }
  const operators = mutations.updateOperators(table)
  const addressable = isAddressable(context, table)
  if (
    access.update !== undefined &&
    (Object.keys(operators).length > 0 || access.update.presets.length > 0)
  ) {
    fields[rootFields.update] = field({ kind: 'update', table }, response, {
      args: { ...operators, ...where('updated') },
      description: `update data of the table: "${name.name}"`,
    })
    const keyArgument = renamed(
      { pk_columns: { type: new GraphQLNonNull(mutations.keyColumns(table)) } },
      context.source.naming.field,
    )
    if (addressable)
      fields[rootFields.updateByPk] = field({ kind: 'update-by-key', table }, rows.row(table), {
        args: { ...operators, ...keyArgument },
        description: `update single row of the table: "${name.name}"`,
      })
    if (!context.features.includes('hide_update_many_fields')) {
      const updates = new GraphQLList(new GraphQLNonNull(mutations.updates(table)))
      fields[rootFields.updateMany] = field({ kind: 'update-many', table }, new GraphQLList(response), {
        args: {
          updates: { type: new GraphQLNonNull(updates), description: 'updates to execute, in order' },
        },
        description: `update multiples rows of table: "${name.name}"`,
      })
    }
  }
  if (access.delete !== undefined) {
    fields[rootFields.delete] = field({ kind: 'delete', table }, response, {
      args: where('deleted'),
      description: `delete data from the table: "${name.name}"`,
    })
    if (addressable)
      fields[rootFields.deleteByPk] = field({ kind: 'delete-by-key', table }, rows.row(table), {
        args: keyArguments(table, scalars),
        description: `delete single row from the table: "${name.name}"`,
      })
  }
  return described(fields, table)
}
