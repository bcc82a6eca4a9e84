import { z } from 'zod'
import { type Json, type JsonObject, graphqlName, json, record } from './parse.ts'
import { type QualifiedName, qualifiedName } from './qualified-name.ts'
import type { RemoteRelationship } from './relationship.ts'

/** The target of a remote relationship. */
export type RelationshipTarget =
  | {
      readonly kind: 'remote-schema'
      readonly remoteSchema: string
      /** The table's columns, or the type's fields, that the arguments use. */
      readonly lhsFields: readonly string[]
      /** The path from the remote schema's root to the related field. */
      readonly steps: readonly RemoteStep[]
    }
  | {
      readonly kind: 'source'
      readonly source: string
      readonly table: QualifiedName
      readonly list: boolean
      /** The type's fields (or the table's columns) by the target's columns that they must equal. */
      readonly mapping: Readonly<Record<string, string>>
    }

/** A field of the remote schema with its arguments. `"$id"` stands for the left side's value `id`. */
export interface RemoteStep {
  readonly field: string
  readonly arguments: JsonObject
}

interface RemoteField {
  readonly [field: string]: { readonly arguments: JsonObject; readonly field?: RemoteField | undefined }
}

const remoteField: z.ZodType<RemoteField> = z.lazy(() =>
  z.record(graphqlName, record({ arguments: z.record(graphqlName, json), field: remoteField.optional() })),
)

const definition = z.union([
  record({
    to_remote_schema: record({
      remote_schema: z.string(),
      lhs_fields: z.array(z.string()),
      remote_field: remoteField,
    }),
  }),
  record({
    to_source: record({
      source: z.string(),
      table: qualifiedName,
      relationship_type: z.enum(['object', 'array']),
      field_mapping: z.record(z.string(), z.string()),
    }),
  }),
  /** The form of Hasura before 2.4. */
  record({ remote_schema: z.string(), hasura_fields: z.array(z.string()), remote_field: remoteField }),
])

/** Reads a relationship's definition in any of Hasura's forms; undefined if it has none of them. */
export function relationshipTarget(relationship: RemoteRelationship): RelationshipTarget | undefined {
  const { remote_schema, hasura_fields, remote_field } = relationship
  const given =
    relationship.definition ??
    (remote_schema === undefined ? undefined : { remote_schema, hasura_fields, remote_field })
  const { data } = definition.safeParse(given)
  if (data === undefined) return undefined
  if ('to_source' in data) {
    const { source, table, relationship_type, field_mapping } = data.to_source
    return { kind: 'source', source, table, list: relationship_type === 'array', mapping: field_mapping }
  }
  const target =
    'to_remote_schema' in data ? data.to_remote_schema : { ...data, lhs_fields: data.hasura_fields }
  const steps = stepsOf(target.remote_field)
  return steps === undefined
    ? undefined
    : {
        kind: 'remote-schema',
        remoteSchema: target.remote_schema,
        lhsFields: target.lhs_fields,
        steps,
      }
}

/** The steps of nested levels, each of which must name one field; undefined otherwise. */
function stepsOf(level: RemoteField): readonly RemoteStep[] | undefined {
  const [entry, ...others] = Object.entries(level)
  if (entry === undefined || others.length > 0) return undefined
  const [field, { arguments: given, field: next }] = entry
  if (next === undefined) return [{ field, arguments: given }]
  const rest = stepsOf(next)
  return rest && [{ field, arguments: given }, ...rest]
}

/** The names after `$` in arguments. */
export function argumentVariables(value: Json): readonly string[] {
  if (typeof value === 'string') return value.startsWith('$') ? [value.slice(1)] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((each: Json) => argumentVariables(each))
}
