import {
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLUnionType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { RoleRemote } from '../remote/role-remote.ts'
import { memoize } from './memoize.ts'
import { type FieldConfig, type FieldConfigMap, field } from './row-field.ts'
import type { ScalarTypes } from './scalar-types.ts'

/** A remote schema's contribution to a role's schema. */
export interface RemoteTypes {
  readonly query: FieldConfigMap
  readonly mutation: FieldConfigMap
  /** All of its types. Types that only implement an interface can't be found through fields. */
  readonly named: readonly GraphQLNamedType[]
  readonly output: (type: GraphQLOutputType) => GraphQLOutputType
  readonly input: (type: GraphQLInputType) => GraphQLInputType
}

/** Builds a remote schema's types again, with the names that clients see and with the meaning of each field. */
export function createRemoteTypes(
  remote: RoleRemote,
  scalars: ScalarTypes,
  relationshipsOf: (upstreamType: string) => FieldConfigMap,
): RemoteTypes {
  const { names, permitted } = remote

  const named: (type: GraphQLNamedType) => GraphQLNamedType = memoize((type) => {
    const common = { name: names.typeName(type.name), description: type.description ?? null }
    if (isObjectType(type) || isInterfaceType(type)) {
      const config = {
        ...common,
        interfaces: () => type.getInterfaces().map((each) => named(each) as GraphQLInterfaceType),
        fields: () => ({ ...fieldsOf(type), ...relationshipsOf(type.name) }),
      }
      return isObjectType(type) ? new GraphQLObjectType(config) : new GraphQLInterfaceType(config)
    }
    if (isUnionType(type))
      return new GraphQLUnionType({
        ...common,
        types: () => type.getTypes().map((each) => named(each) as GraphQLObjectType),
      })
    if (isEnumType(type)) return new GraphQLEnumType({ ...common, values: enumValues(type) })
    if (isInputObjectType(type))
      return new GraphQLInputObjectType({
        ...common,
        fields: () =>
          Object.fromEntries(
            Object.values(type.getFields()).map((each) => [
              each.name,
              {
                type: input(each.type),
                description: each.description ?? null,
                defaultValue: each.defaultValue,
              },
            ]),
          ),
      })
    return scalars.scalar(common.name)
  })

  /** Rebuilds a type with its lists and non-null wrappers. */
  const wrapped = (type: unknown): object => {
    if (isNonNullType(type)) return new GraphQLNonNull(wrapped(type.ofType) as GraphQLNamedType)
    if (isListType(type)) return new GraphQLList(wrapped(type.ofType) as GraphQLNamedType)
    return named(type as GraphQLNamedType)
  }
  // The rebuilt type is of the same kind as the original.
  const input = (type: GraphQLInputType) => wrapped(type) as GraphQLInputType
  const output = (type: GraphQLOutputType) => wrapped(type) as GraphQLOutputType

  const argumentsOf = ({ args }: GraphQLField<unknown, unknown>): GraphQLFieldConfigArgumentMap =>
    Object.fromEntries(
      args.map(({ name, type, description, defaultValue }) => [
        name,
        { type: input(type), description: description ?? null, defaultValue },
      ]),
    )

  const fieldsOf = (type: GraphQLObjectType | GraphQLInterfaceType): FieldConfigMap =>
    Object.fromEntries(
      Object.values(type.getFields()).map((each): [string, FieldConfig] => [
        names.fieldName(type.name, each.name),
        field({ kind: 'remote-field', remote, name: each.name }, output(each.type), {
          args: argumentsOf(each),
          ...(each.description == null ? {} : { description: each.description }),
        }),
      ]),
    )

  /** The fields of a root, or the namespace field that contains them. */
  const rootFields = (
    type: GraphQLObjectType | null | undefined,
    operation: 'query' | 'mutation',
  ): FieldConfigMap => {
    if (type == null) return {}
    if (names.namespace === undefined) return fieldsOf(type)
    // Several remote schemas have a root called Query; the namespace makes the names unique.
    const namespace = new GraphQLObjectType({
      name: `${names.namespace}_${operation}`,
      fields: () => fieldsOf(type),
    })
    const meaning = { kind: 'remote-namespace', remote, operation } as const
    return { [names.namespace]: field(meaning, new GraphQLNonNull(namespace)) }
  }

  const roots = new Set([
    permitted.getQueryType(),
    permitted.getMutationType(),
    permitted.getSubscriptionType(),
  ])
  return {
    query: rootFields(permitted.getQueryType(), 'query'),
    mutation: rootFields(permitted.getMutationType(), 'mutation'),
    named: Object.values(permitted.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && !(isObjectType(type) && roots.has(type)))
      .map(named),
    output,
    input,
  }
}

const enumValues = (type: GraphQLEnumType) =>
  Object.fromEntries(
    type
      .getValues()
      .map(({ name, description, deprecationReason }) => [
        name,
        { description: description ?? null, deprecationReason: deprecationReason ?? null },
      ]),
  )
