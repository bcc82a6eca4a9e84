import type { Catalog } from '../catalog/types.ts'
import type { Json } from '../metadata/parse.ts'
import { displayName } from '../metadata/qualified-name.ts'
import type { CustomTypes } from '../metadata/types.ts'
import type { Inconsistency } from '../snapshot.ts'
import { type KnownTypes, baseType, knownTypes } from './known-types.ts'
import { becauseOf, customTypesObject, inconsistency } from './metadata-object.ts'
import { type TrackedTables, trackedTable } from './tracked-tables.ts'

/** A problem in Hasura's words. After an unknown name, nothing further is checked. */
interface Problem {
  readonly message: string
  readonly isLast: boolean
}

const problem = (message: string): Problem => ({ message, isLast: false })
const lastProblem = (message: string): Problem => ({ message, isLast: true })

/** As in Hasura, one inconsistent custom type makes all of them inconsistent. */
export function checkCustomTypes(
  types: CustomTypes | undefined,
  tables: TrackedTables,
  catalog: Catalog,
): { types: CustomTypes | undefined; inconsistencies: readonly Inconsistency[] } {
  if (!types) return { types, inconsistencies: [] }
  const found = [...untilLast(problemsOf(types, knownTypes(types, catalog), tables))]
  if (found.length === 0) return { types, inconsistencies: [] }
  const reason = `validation for the given custom types failed ${becauseOf(found.map(({ message }) => message))}`
  return {
    types: undefined,
    inconsistencies: [inconsistency(customTypesObject(customTypesDefinition(types)), reason)],
  }
}

function* untilLast(problems: Iterable<Problem>): Iterable<Problem> {
  for (const each of problems) {
    yield each
    if (each.isLast) return
  }
}

function* problemsOf(types: CustomTypes, known: KnownTypes, tables: TrackedTables): Iterable<Problem> {
  const { scalars = [], enums = [], input_objects: inputs = [], objects = [] } = types
  yield* duplicates(
    [...scalars, ...enums, ...inputs, ...objects].map(({ name }) => name),
    (names) => `duplicate type names: ${names}`,
  )
  for (const { name, values } of enums)
    yield* duplicates(
      values.map(({ value }) => value),
      (names) => `the enum type "${name}" has duplicate values: ${names}`,
    )
  for (const input of inputs) yield* inputProblems(input, known)
  for (const object of objects) yield* objectProblems(object, known, tables)
}

function* duplicates(names: readonly string[], message: (names: string) => string): Iterable<Problem> {
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].toSorted()
  if (twice.length > 0) yield problem(message(twice.map((name) => `"${name}"`).join(', ')))
}

function* inputProblems(
  { name: input, fields }: NonNullable<CustomTypes['input_objects']>[number],
  known: KnownTypes,
): Iterable<Problem> {
  yield* duplicates(
    fields.map(({ name }) => name),
    (names) => `the input object "${input}" has duplicate fields: ${names}`,
  )
  for (const { name, type } of fields) {
    const base = baseType(type)
    if (!known.scalars(base) && !known.enums.has(base) && !known.inputs.has(base))
      yield lastProblem(
        `the type "${base}" for field "${name}" in  input object type "${input}" does not exist`,
      )
  }
}

type ObjectType = NonNullable<CustomTypes['objects']>[number]

function* objectProblems(object: ObjectType, known: KnownTypes, tables: TrackedTables): Iterable<Problem> {
  const { fields, relationships = [] } = object
  yield* duplicates(
    [...fields, ...relationships].map(({ name }) => name),
    (names) => `the object "${object.name}" has duplicate fields: ${names}`,
  )
  for (const field of fields) {
    if (field.arguments !== undefined) yield problem(`the object "${object.name}" can't have arguments`)
    const type = baseType(field.type)
    if (!known.scalars(type) && !known.enums.has(type) && !known.objects.has(type))
      yield lastProblem(
        `the type "${type}" for field "${field.name}" in  object type "${object.name}" does not exist`,
      )
  }
  for (const relationship of relationships) yield* relationshipProblems(object, relationship, tables)
}

function* relationshipProblems(
  object: ObjectType,
  { name, remote_table: remote, field_mapping }: NonNullable<ObjectType['relationships']>[number],
  tables: TrackedTables,
): Iterable<Problem> {
  const place = (preposition: 'in' | 'of'): string =>
    `for relationship "${name}" ${preposition} object type "${object.name}"`
  const table = trackedTable(tables, remote)
  if (table === undefined) {
    yield lastProblem(`the remote table "${displayName(remote)}" ${place('of')} does not exist`)
    return
  }
  for (const [field, column] of Object.entries(field_mapping)) {
    const found = object.fields.find((each) => each.name === field)
    if (found === undefined) yield problem(`the field "${field}" ${place('in')} does not exist`)
    else if (found.type.trim().startsWith('['))
      yield problem(`the type of the field "${field}" ${place('in')} is a list type`)
    if (!table.catalog.columns.some((each) => each.name === column))
      yield lastProblem(
        `the column "${column}" of remote table "${displayName(remote)}" ${place('of')} does not exist`,
      )
  }
}

/** The definition with the defaults spelled out, as Hasura reports it. */
function customTypesDefinition(types: CustomTypes): Json {
  const definition = {
    input_objects: types.input_objects?.map(({ name, description = null, fields }) => ({
      name,
      description,
      fields: fields.map((field) => ({
        name: field.name,
        type: field.type,
        description: field.description ?? null,
      })),
    })),
    objects: types.objects?.map(({ name, description = null, fields, relationships }) => ({
      name,
      description,
      fields: fields.map((field) => ({
        arguments: field.arguments ?? null,
        name: field.name,
        type: field.type,
        description: field.description ?? null,
      })),
      relationships: relationships?.map((each) => ({ source: 'default', ...each })) ?? null,
    })),
    scalars: types.scalars,
    enums: types.enums,
  }
  return JSON.parse(
    JSON.stringify(definition, (_, value: unknown) => (value === undefined ? null : value)),
  ) as Json
}
