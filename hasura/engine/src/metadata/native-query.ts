import { z } from 'zod'
import { graphqlName, jsonObject, nonEmptyText, record } from './parse.ts'
import { selectPermission } from './permission.ts'

/*
 * Native queries: SQL in the metadata whose rows are a field of the query root. A logical model defines the form of the rows.
 * https://hasura.io/docs/latest/schema/postgres/native-queries/
 */

const scalarType = record({ scalar: z.string().min(1), nullable: z.boolean().default(false) })

/** A scalar. Another logical model, or a list of them, is kept, but only a relationship could fill it. */
const fieldType = z.union([
  scalarType,
  record({ logical_model: z.string(), nullable: z.boolean().optional() }),
  record({ array: jsonObject, nullable: z.boolean().optional() }),
])

/** `{name, type: {scalar, nullable}}`, or `{name, type: "text", nullable}` in short. */
const logicalModelField = z.preprocess(
  (given) => {
    if (typeof given !== 'object' || given === null || !('type' in given)) return given
    const { type, nullable, ...rest } = given as Readonly<Record<string, unknown>>
    if (typeof type !== 'string') return given
    return { ...rest, type: nullable === undefined ? { scalar: type } : { scalar: type, nullable } }
  },
  record({ name: nonEmptyText, type: fieldType, description: z.string().optional() }),
)

/** A list, or an object with the fields by name. */
export const logicalModelFields = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && !Array.isArray(given)
      ? Object.entries(given).map(([name, field]: [string, unknown]) =>
          typeof field === 'object' && field !== null ? { name, ...field } : field,
        )
      : given,
  z.array(logicalModelField),
)

export const logicalModel = record({
  name: graphqlName,
  fields: logicalModelFields,
  description: z.string().optional(),
  select_permissions: z.array(selectPermission).optional(),
})

const nativeQueryArgument = record({
  type: z.string().min(1),
  nullable: z.boolean().default(false),
  description: z.string().optional(),
})

/** The keys of a native query, which are also the arguments of the command that tracks one. */
export const nativeQueryShape = {
  root_field_name: graphqlName,
  arguments: z.record(z.string(), nativeQueryArgument).optional(),
  code: z.string(),
  returns: z.string(),
  description: z.string().optional(),
  array_relationships: z.array(jsonObject).optional(),
  object_relationships: z.array(jsonObject).optional(),
}

export const nativeQuery = record(nativeQueryShape)
