import { GraphQLNonNull, GraphQLObjectType } from 'graphql'
import { type FieldConfigMap, field } from './row-field.ts'
import type { SourceModel } from './source-model.ts'

/** The root that a namespace type belongs to. Mutations have two, because permissions may be `backend_only`. */
export type NamespaceRoot = 'query' | 'mutation_frontend' | 'mutation_backend' | 'subscription'

/**
 * Puts a source's root fields below one field, if metadata has `root_fields.namespace`. Without root fields, a role has
 * no such field. Actions and remote schemas stay at the root.
 */
export function inSourceNamespace(
  fields: FieldConfigMap,
  root: NamespaceRoot,
  { naming }: SourceModel,
): FieldConfigMap {
  const { namespace } = naming
  if (namespace === undefined || Object.keys(fields).length === 0) return fields
  const name = naming.typeOf({ name: namespace, isCustom: false }, root)
  const type = new GraphQLObjectType({ name, fields })
  return { [namespace]: field({ kind: 'source-namespace' }, new GraphQLNonNull(type)) }
}
