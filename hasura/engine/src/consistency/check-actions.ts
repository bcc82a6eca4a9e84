import type { Catalog } from '../catalog/types.ts'
import type { Json } from '../metadata/parse.ts'
import { displayName } from '../metadata/qualified-name.ts'
import type { Action, CustomTypes } from '../metadata/types.ts'
import type { Inconsistency } from '../snapshot.ts'
import {
  type Checked,
  actionObject,
  becauseOf,
  checkEach,
  customTypesObject,
  inconsistency,
} from './metadata-object.ts'
import { type TrackedTables, trackedTable } from './tracked-tables.ts'

const builtInScalars = new Set(['Int', 'Float', 'String', 'Boolean', 'ID'])

/** `[String!]!` -> `String`. */
const baseType = (type: string): string => type.replaceAll(/[[\]!\s]/g, '')

interface KnownTypes {
  readonly scalars: (name: string) => boolean
  readonly enums: ReadonlySet<string>
  readonly inputs: ReadonlySet<string>
  readonly objects: ReadonlySet<string>
}

const knownTypes = (types: CustomTypes | undefined, catalog: Catalog): KnownTypes => {
  const names = (entries: readonly { readonly name: string }[] | undefined) =>
    new Set((entries ?? []).map(({ name }) => name))
  const custom = names(types?.scalars)
  return {
    scalars: (name) => builtInScalars.has(name) || custom.has(name) || catalog.scalars.has(name),
    enums: names(types?.enums),
    inputs: names(types?.input_objects),
    objects: names(types?.objects),
  }
}

/** Custom types stand or fall together, as in Hasura. */
export const checkCustomTypes = (
  types: CustomTypes | undefined,
  tables: TrackedTables,
  catalog: Catalog,
): { types: CustomTypes | undefined; inconsistencies: readonly Inconsistency[] } => {
  if (!types) return { types, inconsistencies: [] }
  const problems = [
    ...duplicateTypes(types),
    ...inputProblems(types, knownTypes(types, catalog)),
    ...objectProblems(types, knownTypes(types, catalog), tables),
  ]
  if (problems.length === 0) return { types, inconsistencies: [] }
  const reason = `validation for the given custom types failed ${becauseOf(problems)}`
  return {
    types: undefined,
    inconsistencies: [inconsistency(customTypesObject(customTypesDefinition(types)), reason)],
  }
}

const duplicateTypes = (types: CustomTypes): readonly string[] => {
  const all = [types.scalars, types.enums, types.input_objects, types.objects].flatMap((entries) =>
    (entries ?? []).map(({ name }) => name),
  )
  const duplicates = [...new Set(all.filter((name, index) => all.indexOf(name) !== index))]
  return duplicates.length > 0
    ? [`the following types are defined more than once: ${duplicates.join(', ')}`]
    : []
}

const inputProblems = (types: CustomTypes, known: KnownTypes): readonly string[] =>
  (types.input_objects ?? []).flatMap((input) =>
    input.fields.flatMap((field) => {
      const type = baseType(field.type)
      return known.scalars(type) || known.enums.has(type) || known.inputs.has(type)
        ? []
        : [
            `the type "${type}" for field "${field.name}" in  input object type "${input.name}" does not exist`,
          ]
    }),
  )

const objectProblems = (types: CustomTypes, known: KnownTypes, tables: TrackedTables): readonly string[] =>
  (types.objects ?? []).flatMap((object) => [
    ...object.fields.flatMap((field) => {
      const type = baseType(field.type)
      return known.scalars(type) || known.enums.has(type) || known.objects.has(type)
        ? []
        : [`the type "${type}" for field "${field.name}" in  object type "${object.name}" does not exist`]
    }),
    ...(object.relationships ?? []).flatMap((relationship) =>
      relationshipProblems(object, relationship, tables),
    ),
  ])

type ObjectType = NonNullable<CustomTypes['objects']>[number]

const relationshipProblems = (
  object: ObjectType,
  relationship: NonNullable<ObjectType['relationships']>[number],
  tables: TrackedTables,
): readonly string[] => {
  const context = `for relationship "${relationship.name}" in object type "${object.name}"`
  const table = trackedTable(tables, relationship.remote_table)
  if (!table) {
    return [
      `the remote table "${displayName(relationship.remote_table)}" ${context} does not exist or is not tracked`,
    ]
  }
  return Object.entries(relationship.field_mapping).flatMap(([field, column]) => {
    const found = object.fields.find(({ name }) => name === field)
    if (!found) return [`the field "${field}" ${context} does not exist`]
    if (found.type.trim().startsWith('['))
      return [`the type of the field "${field}" ${context} is a list type`]
    return table.catalog.columns.some(({ name }) => name === column)
      ? []
      : [
          `the column "${column}" of remote table "${displayName(relationship.remote_table)}" ${context} does not exist`,
        ]
  })
}

/** Hasura spells out what was not given. */
const customTypesDefinition = (types: CustomTypes): Json => {
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

/** What an action takes and returns must be defined. */
export const checkActions = (
  actions: readonly Action[] | undefined,
  types: CustomTypes | undefined,
  catalog: Catalog,
): Checked<Action> => {
  const known = knownTypes(types, catalog)
  const seen = new Set<string>()
  return checkEach(
    actions,
    (action) => {
      if (seen.has(action.name)) return `multiple definitions of action "${action.name}"`
      seen.add(action.name)
      const problem = actionProblem(action, known)
      return problem === undefined ? undefined : `in action "${action.name}": ${problem}`
    },
    actionObject,
  )
}

const actionProblem = ({ definition }: Action, known: KnownTypes): string | undefined => {
  for (const argument of definition.arguments ?? []) {
    const type = baseType(argument.type)
    if (!known.scalars(type) && !known.enums.has(type) && !known.inputs.has(type)) {
      return `the type "${type}" of the argument "${argument.name}" is not a scalar, an enum or an input object`
    }
  }
  const output = definition.output_type
  if (output === undefined) return 'output_type is missing'
  const type = baseType(output)
  return known.objects.has(type) || known.scalars(type) || known.enums.has(type)
    ? undefined
    : `the type: "${type}" is not an object type defined in custom types`
}
