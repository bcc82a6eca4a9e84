import {
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import { isAsynchronous } from '../metadata/action.ts'
import type { Metadata } from '../metadata/types.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import { type ActionTypes, createActionTypes } from './action-types.ts'
import { directives } from './directives.ts'
import { entityTables, federationFields } from './federation-types.ts'
import { functionFields } from './function-fields.ts'
import { roleParents } from './inherited-permissions.ts'
import { relayRootFields } from './relay-root-fields.ts'
import { createRemoteGraph } from './remote-graph.ts'
import { type RoleAccessOptions, createRoleAccess } from './role-access.ts'
import type { RoleAccess } from './table-access.ts'
import { type FieldConfigMap, field } from './row-field.ts'
import type { SchemaContext } from './schema-context.ts'
import type { SchemaFeature } from './schema-feature.ts'
import type { SourceModel } from './source-model.ts'
import { nativeQueryFields } from './native-query-fields.ts'
import { inSourceNamespace } from './source-namespace.ts'
import { tableMutationFields } from './table-mutation-fields.ts'
import { tableQueryFields, tableSubscriptionFields } from './table-query-fields.ts'
import { createTypeBuilders } from './type-builders.ts'

/** A role's GraphQL schema, and its permissions. */
export interface RoleSchema {
  readonly schema: GraphQLSchema
  readonly access: RoleAccess
  readonly source: SourceModel
}

/** Hasura has two GraphQL APIs over the same metadata. */
export type GraphQLApi = 'graphql' | 'relay'

/** Builds the schema of a role, with exactly the operations that its permissions allow. */
export function buildRoleSchema(
  metadata: Metadata,
  source: SourceModel,
  options: Omit<RoleAccessOptions, 'parents' | 'mayIntrospect'> & {
    readonly api: GraphQLApi
    /** Whether it has the fields of Apollo Federation. Relay's schema never has. */
    readonly federation?: boolean
    readonly features?: readonly SchemaFeature[]
  },
  remotes: readonly RoleRemote[] = [],
): RoleSchema {
  const hidden = metadata.graphql_schema_introspection?.disabled_for_roles ?? []
  const access = createRoleAccess(source, {
    ...options,
    parents: roleParents(metadata),
    mayIntrospect: !hidden.includes(options.role),
  })
  const context: SchemaContext = { source, access, features: options.features ?? [] }
  const forRelay = options.api === 'relay'
  const builders = createTypeBuilders(context, {
    forRelay,
    moreFields: (table) => remoteGraph.tableFields(table),
  })
  const { scalars, rows } = builders
  // Relay's schema has no remote schemas, because its nodes are rows of the source.
  const remoteGraph = createRemoteGraph(context, scalars, () => rows, forRelay ? [] : remotes)
  const actions = actionFields(
    metadata,
    access,
    createActionTypes(context, scalars, rows, metadata.custom_types ?? {}),
  )
  const tables = [...source.tables.values()]
  const relay = forRelay ? relayRootFields(context, rows) : undefined
  const calls = { ...functionFields(context, 'query', rows), ...nativeQueryFields(context, rows, scalars) }
  const query: FieldConfigMap = relay ?? {
    ...inSourceNamespace(
      {
        ...merged(tables.map((table) => tableQueryFields(context, table, builders))),
        ...calls,
      },
      'query',
      source,
    ),
    ...actions.query,
    ...actions.results,
    ...remoteGraph.query,
  }
  const subscription: FieldConfigMap = relay ?? {
    ...inSourceNamespace(
      {
        ...merged(tables.map((table) => tableSubscriptionFields(context, table, builders))),
        ...calls,
      },
      'subscription',
      source,
    ),
    ...actions.results,
  }
  const mutation: FieldConfigMap = {
    ...inSourceNamespace(
      {
        ...merged(tables.map((table) => tableMutationFields(context, table, builders))),
        ...functionFields(context, 'mutation', rows),
      },
      options.backendOnly ? 'mutation_backend' : 'mutation_frontend',
      source,
    ),
    ...actions.mutation,
    ...remoteGraph.mutation,
  }
  const isFederated = options.federation === true && !forRelay
  const entities = isFederated ? entityTables(context) : []
  const types = [
    ...(forRelay ? tables.filter((table) => rows.relay?.isNode(table) === true).map(rows.row) : []),
    ...entities.map(rows.row),
    ...remoteGraph.types,
  ]
  const schemaOf = (queryFields: FieldConfigMap): GraphQLSchema =>
    assembleSchema({ query: queryFields, mutation, subscription }, types)
  const schema = schemaOf(orPlaceholder(query))
  if (!isFederated) return { schema, access, source }
  const federated = federationFields(schema, context, entities, rows.row)
  return { schema: schemaOf({ ...orPlaceholder(query), ...federated }), access, source }
}

interface ActionFields {
  readonly query: FieldConfigMap
  readonly mutation: FieldConfigMap
  /** Fields with the results of asynchronous actions, in queries and subscriptions. */
  readonly results: FieldConfigMap
}

function actionFields(metadata: Metadata, access: RoleAccess, types: ActionTypes): ActionFields {
  const actions = (metadata.actions ?? []).filter((action) => access.mayRun(action))
  const runs = (root: 'query' | 'mutation'): FieldConfigMap =>
    Object.fromEntries(
      actions
        .filter(({ definition }) => (definition.type ?? 'mutation') === root)
        .map((action) => [action.name, types.run(action)]),
    )
  const results = actions.filter(isAsynchronous).map((action) => [action.name, types.result(action)] as const)
  return { query: runs('query'), mutation: runs('mutation'), results: Object.fromEntries(results) }
}

/** The mutation and subscription roots exist only if the role has fields in them. */
const assembleSchema = (
  { query, mutation, subscription }: Readonly<Record<'query' | 'mutation' | 'subscription', FieldConfigMap>>,
  types: readonly GraphQLNamedType[],
): GraphQLSchema =>
  new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'query_root', fields: query }),
    mutation:
      Object.keys(mutation).length === 0
        ? null
        : new GraphQLObjectType({ name: 'mutation_root', description: 'mutation root', fields: mutation }),
    subscription:
      Object.keys(subscription).length === 0
        ? null
        : new GraphQLObjectType({ name: 'subscription_root', fields: subscription }),
    types,
    directives,
    assumeValid: true,
  })

/** GraphQL requires a root type to have a field, even for a role without permissions. */
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
