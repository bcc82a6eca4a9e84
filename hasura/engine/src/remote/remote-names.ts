import { type GraphQLSchema, isInterfaceType, isObjectType, isSpecifiedScalarType } from 'graphql'
import type { RemoteSchemaCustomization } from '../metadata/remote-schema.ts'

/** Maps a remote schema's names to those that clients see, and back. */
export interface RemoteNames {
  readonly namespace: string | undefined
  readonly typeName: (upstream: string) => string
  readonly fieldName: (upstreamType: string, upstreamField: string) => string
  /** The upstream name of a type, by its name for clients. */
  readonly upstreamType: (name: string) => string
}

export function remoteNames(
  schema: GraphQLSchema,
  { root_fields_namespace, type_names = {}, field_names = [] }: RemoteSchemaCustomization = {},
): RemoteNames {
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
  const types = new Map<string, string>()
  const fields = new Map<string, Map<string, string>>()
  for (const type of Object.values(schema.getTypeMap())) {
    const { name } = type
    const isNamed =
      !name.startsWith('__') && !isSpecifiedScalarType(type) && !(isObjectType(type) && roots.has(type))
    types.set(name, isNamed ? renamed(name, type_names) : (type_names.mapping?.[name] ?? name))
    const rule = field_names.find(({ parent_type }) => parent_type === name)
    if (rule !== undefined && (isObjectType(type) || isInterfaceType(type)))
      fields.set(name, new Map(Object.keys(type.getFields()).map((field) => [field, renamed(field, rule)])))
  }
  const upstream = new Map([...types].map(([own, shown]) => [shown, own]))
  return {
    namespace: root_fields_namespace,
    typeName: (name) => types.get(name) ?? name,
    fieldName: (type, field) => fields.get(type)?.get(field) ?? field,
    upstreamType: (name) => upstream.get(name) ?? name,
  }
}

const renamed = (
  name: string,
  {
    prefix = '',
    suffix = '',
    mapping = {},
  }: {
    readonly prefix?: string | undefined
    readonly suffix?: string | undefined
    readonly mapping?: Readonly<Record<string, string>> | undefined
  },
): string => mapping[name] ?? `${prefix}${name}${suffix}`
