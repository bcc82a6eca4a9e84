import {
  type GraphQLObjectType,
  type GraphQLField,
  isCompositeType,
  getNamedType,
  type GraphQLOutputType,
  isObjectType,
} from 'graphql'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import type { CollectedField } from './collect-fields.ts'
import { RequestError } from './request-error.ts'

/** A field of an object type with its meaning. Throws RequestError if the type has no such field. */
export function fieldOf(
  type: GraphQLObjectType,
  { name, path, selections }: CollectedField,
): { readonly field: GraphQLField<unknown, unknown>; readonly meaning: FieldMeaning } {
  const field = type.getFields()[name]
  const meaning = field?.extensions.meaning
  if (field === undefined || meaning === undefined)
    throw new RequestError(`field "${name}" not found in type: '${type.name}'`, path)
  const composite = isCompositeType(getNamedType(field.type))
  if (composite && selections.length === 0)
    throw new RequestError(
      `missing selection set for "${getNamedType(field.type).name}"`,
      `${path}.selectionSet`,
    )
  if (!composite && selections.length > 0)
    throw new RequestError('unexpected subselection set for non-object field', path)
  return { field, meaning }
}

/** The object type of a field's answer. */
export function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType {
  const named = getNamedType(type)
  if (!isObjectType(named)) throw new Error(`${named.name} is no object type`)
  return named
}
