import { GraphQLNonNull, GraphQLObjectType } from 'graphql'
import { type FieldConfigMap, field } from './row-field.ts'
import type { SourceModel } from './source-model.ts'

/** What a type with a source's root fields is named for. Mutations have two, as permissions may be `backend_only`. */
export type NamespaceRoot = 'query' | 'mutation_frontend' | 'mutation_backend' | 'subscription'

/**
 * A source's root fields below one field, where metadata wants that (`root_fields.namespace`); a role without any has no
 * such field. Actions and remote schemas stay at the root.
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
