import { z } from 'zod'
import { type DeepReadonly, json, jsonObject, nonEmptyText, record } from './parse.ts'
import { type QualifiedName, qualifiedName } from './qualified-name.ts'

const columns = z.array(z.string().min(1)).min(1)

/** The foreign key's column, or columns, of the other table. */
const otherTableKey = z.union([
  record({ column: z.string().min(1), table: qualifiedName }),
  record({
    columns: z.union([
      z
        .string()
        .min(1)
        .transform((column) => [column]),
      columns,
    ]),
    table: qualifiedName,
  }),
])

const manualConfiguration = record({
  remote_table: qualifiedName,
  column_mapping: z.record(z.string(), z.string()),
  insertion_order: z.enum(['before_parent', 'after_parent']).optional(),
  source: z.string().optional(),
})

const using = <Key extends z.ZodType>(key: Key) =>
  z.union([record({ foreign_key_constraint_on: key }), record({ manual_configuration: manualConfiguration })])

/** Separate objects, because the commands that create relationships add the table's name to these keys. */
export const objectRelationshipShape = {
  name: nonEmptyText,
  comment: z.string().optional(),
  using: using(z.union([z.string().min(1), columns, otherTableKey])),
}

const keyOfOtherTable = z
  .custom((value) => typeof value === 'object', {
    error: 'Expecting object { table, columns }.',
    abort: true,
  })
  .pipe(otherTableKey)

export const arrayRelationshipShape = {
  name: nonEmptyText,
  comment: z.string().optional(),
  using: using(keyOfOtherTable),
}

export const objectRelationship = record(objectRelationshipShape)
export const arrayRelationship = record(arrayRelationshipShape)

/** A relationship to a remote schema or a source; `relationship-target.ts` reads the definition. */
export const remoteRelationship = record({
  name: nonEmptyText,
  definition: jsonObject.optional(),
  hasura_fields: json.optional(),
  remote_schema: z.string().optional(),
  remote_field: json.optional(),
})

export type ObjectRelationship = DeepReadonly<z.output<typeof objectRelationship>>
export type ArrayRelationship = DeepReadonly<z.output<typeof arrayRelationship>>
export type RemoteRelationship = DeepReadonly<z.output<typeof remoteRelationship>>

/** The forms of `using`. */
export type RelationshipKey =
  | { readonly kind: 'own-foreign-key'; readonly columns: readonly string[] }
  | { readonly kind: 'other-foreign-key'; readonly table: QualifiedName; readonly columns: readonly string[] }
  | {
      readonly kind: 'manual'
      readonly table: QualifiedName
      readonly mapping: Readonly<Record<string, string>>
      readonly insertionOrder: 'before_parent' | 'after_parent' | undefined
    }

/** The form of an object or array relationship's `using`. */
export function relationshipKey(
  using: ObjectRelationship['using'] | ArrayRelationship['using'],
): RelationshipKey {
  if ('manual_configuration' in using) {
    const { remote_table, column_mapping, insertion_order } = using.manual_configuration
    return { kind: 'manual', table: remote_table, mapping: column_mapping, insertionOrder: insertion_order }
  }
  const key = using.foreign_key_constraint_on
  if (typeof key === 'string') return { kind: 'own-foreign-key', columns: [key] }
  if (!('table' in key)) return { kind: 'own-foreign-key', columns: key }
  return {
    kind: 'other-foreign-key',
    table: key.table,
    columns: 'columns' in key ? key.columns : [key.column],
  }
}
