import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { jsonTypeOf } from '../exact-json.ts'
import { RequestFailure } from '../execute/request-failure.ts'
import { type CollectedField, collectFields } from '../plan/collect-fields.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { fieldOf } from '../plan/field-of.ts'
import type { SelectScope } from '../plan/select-scope.ts'
import { planValueJoin } from '../plan/plan-value-join.ts'
import type { ValueJoin } from '../plan/remote-joins.ts'

/** An answer cut to the selection. SQL fills the places of relationships. */
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
 * A place in the selection that reads relationships of the answer's objects. One statement resolves them for all
 * objects of the site.
 */
export interface RelationshipSite {
  readonly relationships: readonly ValueJoin[]
  /** For each object, the values of the fields named in `ValueJoin.columns`. */
  readonly rows: Record<string, JsonValue>[]
}

/** State that one answer shares while it is cut. */
interface Shaping {
  readonly scope: SelectScope
  /** Sites by their selection. */
  readonly sites: Map<readonly SelectionSetNode[], RelationshipSite>
  /** Fields of a type under a selection, collected once for all objects of a list. */
  readonly collections: Map<readonly SelectionSetNode[], readonly CollectedField[]>
}

/** Cuts an answer to the selection. Throws RequestError when an object or a list doesn't match its type. */
export function shapeAnswer(
  value: JsonValue,
  type: GraphQLOutputType,
  collected: CollectedField,
  scope: SelectScope,
): { readonly answer: ShapedAnswer; readonly sites: readonly RelationshipSite[] } {
  const shaping: Shaping = { scope, sites: new Map(), collections: new Map() }
  const answer = shape(value, type, collected, shaping)
  return { answer, sites: [...shaping.sites.values()] }
}

function shape(
  value: JsonValue,
  type: GraphQLOutputType,
  collected: CollectedField,
  shaping: Shaping,
): ShapedAnswer {
  if (isNonNullType(type)) {
    if (value === null) throw unexpected(`expecting not null value for field "${collected.name}"`)
    return shape(value, type.ofType as GraphQLOutputType, collected, shaping)
  }
  if (value === null) return { kind: 'json', value }
  if (isListType(type)) {
    if (!Array.isArray(value)) throw unexpected(`expecting an array for field "${collected.name}"`)
    const items = (value as readonly JsonValue[]).map((item) => shape(item, type.ofType, collected, shaping))
    return { kind: 'list', items }
  }
  // Scalars inside an object are not checked, as in Hasura.
  if (!isObjectType(type)) return { kind: 'json', value }
  if (jsonTypeOf(value) !== 'object' || Array.isArray(value))
    throw unexpected(`expecting an object for field "${collected.name}"`)
  return shapeObject(value as Readonly<Record<string, JsonValue>>, type, collected, shaping)
}

function shapeObject(
  value: Readonly<Record<string, JsonValue>>,
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  shaping: Shaping,
): ShapedAnswer {
  const { scope, sites, collections } = shaping
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
      return [key, shape(value[name] ?? null, field.type, collected, shaping)]
    sites.set(selections, site)
    row ??= site.rows.push(fieldValues(value, site)) - 1
    const place: ShapedAnswer = { kind: 'related', site, row, relationship }
    relationship += 1
    return [key, place]
  })
  return { kind: 'object', entries }
}

function createSite(
  fields: readonly CollectedField[],
  type: GraphQLObjectType,
  scope: SelectScope,
): RelationshipSite {
  const relationships: ValueJoin[] = []
  for (const collected of fields) {
    if (collected.name === '__typename') continue
    const { field, meaning } = fieldOf(type, collected)
    if (meaning.kind !== 'answer-relationship') continue
    relationships.push(planValueJoin(meaning, field, collected, `r${relationships.length}`, scope))
  }
  return { relationships, rows: [] }
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
