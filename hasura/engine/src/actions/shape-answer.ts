import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { RequestFailure } from '../execute/request-failure.ts'
import { type CollectedField, collectFields } from '../plan/collect-fields.ts'
import { readArguments } from '../plan/arguments.ts'
import type { JsonValue, ObjectValue } from '../plan/input-value.ts'
import {
  type SelectScope,
  fieldOf,
  objectTypeOf,
  planRowFields,
  planRows,
  tableSource,
} from '../plan/plan-select.ts'
import type { SelectPlan } from '../plan/tree.ts'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import type { ColumnModel } from '../schema/source-model.ts'

/** An answer cut to what was selected. Relationships are places that SQL fills. */
export type ShapedAnswer =
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'list'; readonly items: readonly ShapedAnswer[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, ShapedAnswer])[] }
  /** The result of relationship `relationship` of row `row` of a site. */
  | {
      readonly kind: 'related'
      readonly site: RelationshipSite
      readonly row: number
      readonly relationship: number
    }

/**
 * A place in the selection that asks for relationships of the answer's objects. All objects found there are
 * resolved by one statement.
 */
export interface RelationshipSite {
  readonly relationships: readonly AnswerRelationship[]
  /** Per object, the fields' values by the names in `AnswerRelationship.columns`. */
  readonly rows: Record<string, JsonValue>[]
}

export interface AnswerRelationship {
  readonly select: SelectPlan
  readonly columns: readonly { readonly name: string; readonly field: string; readonly column: ColumnModel }[]
}

/** Sites by the selection that they stand for. */
type Sites = Map<readonly SelectionSetNode[], RelationshipSite>

/** Cuts an answer to the selection. Throws RequestError where an object or a list is not what its type says. */
export const shapeAnswer = (
  value: JsonValue,
  type: GraphQLOutputType,
  collected: CollectedField,
  scope: SelectScope,
): { readonly answer: ShapedAnswer; readonly sites: readonly RelationshipSite[] } => {
  const sites: Sites = new Map()
  const answer = shape(value, type, collected, scope, sites, new Map())
  return { answer, sites: [...sites.values()] }
}

/** Fields of a type under a selection, collected once for all objects of a list. */
type Collections = Map<readonly SelectionSetNode[], readonly CollectedField[]>

const shape = (
  value: JsonValue,
  type: GraphQLOutputType,
  collected: CollectedField,
  scope: SelectScope,
  sites: Sites,
  collections: Collections,
): ShapedAnswer => {
  if (isNonNullType(type)) {
    if (value === null) throw unexpected(`expecting not null value for field "${collected.name}"`)
    return shape(value, type.ofType as GraphQLOutputType, collected, scope, sites, collections)
  }
  if (value === null) return { kind: 'json', value }
  if (isListType(type)) {
    if (!Array.isArray(value)) throw unexpected(`expecting an array for field "${collected.name}"`)
    const items = (value as readonly JsonValue[]).map((item) =>
      shape(item, type.ofType, collected, scope, sites, collections),
    )
    return { kind: 'list', items }
  }
  // Scalars in an object are the handler's business, in Hasura as here.
  if (!isObjectType(type)) return { kind: 'json', value }
  if (typeof value !== 'object' || Array.isArray(value))
    throw unexpected(`expecting an object for field "${collected.name}"`)
  return shapeObject(value as Readonly<Record<string, JsonValue>>, type, collected, scope, sites, collections)
}

const shapeObject = (
  value: Readonly<Record<string, JsonValue>>,
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  scope: SelectScope,
  sites: Sites,
  collections: Collections,
): ShapedAnswer => {
  const fields = collections.get(selections) ?? collectFields(selections, type, scope, `${path}.selectionSet`)
  collections.set(selections, fields)
  const site = sites.get(selections) ?? createSite(fields, type, scope)
  let relationship = 0
  let row: number | undefined
  const entries = fields.map((collected): readonly [string, ShapedAnswer] => {
    const { key, name } = collected
    if (name === '__typename') return [key, { kind: 'json', value: type.name }]
    const { field, meaning } = fieldOf(type, collected)
    if (meaning.kind !== 'answer-relationship')
      return [key, shape(value[name] ?? null, field.type, collected, scope, sites, collections)]
    sites.set(selections, site)
    row ??= site.rows.push(fieldValues(value, site)) - 1
    const place: ShapedAnswer = { kind: 'related', site, row, relationship }
    relationship += 1
    return [key, place]
  })
  return { kind: 'object', entries }
}

const createSite = (
  fields: readonly CollectedField[],
  type: GraphQLObjectType,
  scope: SelectScope,
): RelationshipSite => {
  const relationships: AnswerRelationship[] = []
  for (const collected of fields) {
    if (collected.name === '__typename') continue
    const { field, meaning } = fieldOf(type, collected)
    if (meaning.kind !== 'answer-relationship') continue
    const given = readArguments(collected, field.args, scope)
    const row = objectTypeOf(field.type)
    relationships.push(planRelationship(meaning, given, row, collected, relationships.length, scope))
  }
  return { relationships, rows: [] }
}

const planRelationship = (
  { table, list, mapping }: Extract<FieldMeaning, { kind: 'answer-relationship' }>,
  given: ObjectValue,
  row: GraphQLObjectType,
  { selections, path }: CollectedField,
  index: number,
  scope: SelectScope,
): AnswerRelationship => {
  const columns = mapping.map((entry) => ({ ...entry, name: `r${index}_${entry.field}` }))
  const join = columns.map(({ name, column }) => ({ local: name, remote: column.name }))
  const rows = planRows(tableSource(table), join, given, table, scope)
  const fields = planRowFields(row, selections, table, scope, path)
  return {
    columns,
    select: list
      ? { kind: 'rows', rows, fields }
      : { kind: 'row', rows: { ...rows, limit: undefined }, fields },
  }
}

const fieldValues = (
  value: Readonly<Record<string, JsonValue>>,
  { relationships }: RelationshipSite,
): Record<string, JsonValue> =>
  Object.fromEntries(
    relationships.flatMap(({ columns }) => columns.map(({ name, field }) => [name, value[field] ?? null])),
  )

const unexpected = (message: string): RequestFailure =>
  new RequestFailure({ message, extensions: { path: '$', code: 'unexpected' } })
