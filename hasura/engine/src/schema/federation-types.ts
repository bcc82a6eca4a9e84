import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql'
import { type FieldConfigMap, field } from './row-field.ts'
import { type SchemaContext, isAddressable, isMasked, primaryKeyColumns } from './schema-context.ts'
import type { TableModel } from './source-model.ts'

/** The union's name, which fragments may use. */
export const entityUnionName = '_Entity'

/**
 * The tables whose rows other subgraphs may refer to: those enabled in the metadata, if the role may read the whole key
 * in every row that it may see.
 */
export const entityTables = (context: SchemaContext): readonly TableModel[] =>
  [...context.source.tables.values()].filter(
    (table) =>
      table.metadata.apollo_federation_config?.enable === 'v1' &&
      isAddressable(context, table) &&
      primaryKeyColumns(table).every((column) => !isMasked(context, table, column)),
  )

/**
 * The fields that Apollo Federation adds to a role's query root:
 * https://www.apollographql.com/docs/federation/subgraph-spec `schema` is the role's schema without them, which `sdl`
 * shows. No field is added when one of the names is in use, as by a remote schema that is a subgraph itself and has no
 * prefix.
 */
export function federationFields(
  schema: GraphQLSchema,
  { access }: SchemaContext,
  tables: readonly TableModel[],
  row: (table: TableModel) => GraphQLObjectType,
): FieldConfigMap {
  const root = schema.getQueryType()?.getFields() ?? {}
  const isTaken = ['_Any', '_Service', entityUnionName].some((name) => schema.getType(name) !== undefined)
  if (isTaken || root['_service'] !== undefined || root['_entities'] !== undefined) return {}
  return {
    // The SDL reveals what introspection would.
    ...(access.mayIntrospect ? { _service: serviceField(schema, tables) } : {}),
    ...(tables.length > 0 ? { _entities: entitiesField(tables, row) } : {}),
  }
}

function serviceField(schema: GraphQLSchema, tables: readonly TableModel[]) {
  let sdl: string | undefined
  const text = (): string => (sdl ??= subgraphSdl(schema, tables))
  const service = new GraphQLObjectType({
    name: '_Service',
    fields: {
      sdl: field({ kind: 'service-sdl', text }, new GraphQLNonNull(GraphQLString), {
        description: 'SDL representation of schema',
      }),
    },
  })
  return field({ kind: 'service' }, new GraphQLNonNull(service))
}

function entitiesField(tables: readonly TableModel[], row: (table: TableModel) => GraphQLObjectType) {
  const any = new GraphQLScalarType({ name: '_Any' })
  const entity = new GraphQLUnionType({
    name: entityUnionName,
    description: 'A union of all types that use the @key directive',
    types: tables.map(row),
  })
  const byType = new Map(tables.map((table) => [table.typeName, table]))
  return field({ kind: 'entities', tables: byType }, new GraphQLNonNull(new GraphQLList(entity)), {
    args: {
      representations: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))),
      },
    },
    description: 'query _Entity union',
  })
}

/** The schema with names in order, and with `@key` on the types that other subgraphs may refer to. */
function subgraphSdl(schema: GraphQLSchema, tables: readonly TableModel[]): string {
  const keys = new Map(
    tables.map((table) => [
      table.typeName,
      primaryKeyColumns(table)
        .map(({ graphqlName }) => graphqlName)
        .join(' '),
    ]),
  )
  const document = visit(parse(printSchema(lexicographicSortSchema(schema)), { noLocation: true }), {
    ObjectTypeDefinition: (node) => {
      const key = keys.get(node.name.value)
      return key === undefined ? undefined : { ...node, directives: [keyDirective(key)] }
    },
  })
  return print(document)
}

const keyDirective = (fields: string) => ({
  kind: Kind.DIRECTIVE as const,
  name: { kind: Kind.NAME as const, value: 'key' },
  arguments: [
    {
      kind: Kind.ARGUMENT as const,
      name: { kind: Kind.NAME as const, value: 'fields' },
      value: { kind: Kind.STRING as const, value: fields },
    },
  ],
})
