import type { RowFieldValue, SelectPlan } from '../plan/tree.ts'
import { nodeIdVersion } from '../plan/node-id.ts'
import { isBigNumber } from '../schema/postgres-type.ts'
import type { CatalogType } from '../catalog/types.ts'
import type { Expression, Select, TypeName } from './ast.ts'
import { binary, builtinType, call, cast, column, integer, select, subquery, text } from './build.ts'
import { connectionJson } from './connection-expression.ts'
import {
  base64,
  root,
  typeNameText,
  type JsonEntry,
  type RowEntries,
  jsonArray,
  jsonObject,
} from './json-row.ts'
import { operandExpression, rowScope } from './predicate-expression.ts'
import { carriedFor, carriedFrom, type CarriedSelection } from './carried-row.ts'
import { shownValue } from './spatial-expression.ts'
import { type Translation, withinRow } from './translation.ts'
import { rowsFrom } from './rows-from.ts'
import { aggregateJson } from './aggregate-expression.ts'

/** A root field's select: one row whose only column is the finished JSON. No row means null. */
export const selectStatement = (plan: SelectPlan, translation: Translation): Select =>
  selectJson(plan, undefined, translation)

/**
 * The rows related to an action's answer, whose objects are a parameter: for each object a row, with one column of JSON
 * per relationship.
 */
export function relatedStatement(
  columns: readonly { readonly name: string; readonly type: TypeName }[],
  relationships: readonly SelectPlan[],
  translation: Translation,
): Select {
  const alias = translation.aliases.next()
  const json: Expression = { kind: 'parameter', source: { kind: 'answer' }, type: builtinType('json') }
  return select(
    relationships.map((plan) => ({ value: subquery(selectJson(plan, alias, translation)) })),
    { from: { kind: 'recordset', json, alias, columns } },
  )
}

/** A select whose only column is JSON. `parent` is the alias of the row that it belongs to, if any. */
export function selectJson(plan: SelectPlan, parent: string | undefined, translation: Translation): Select {
  const alias = translation.aliases.next()
  switch (plan.kind) {
    case 'rows': {
      const { fields } = plan
      const { clauses, carried } = rowsFrom(plan.rows, alias, parent, translation, { fields })
      const entries = rowEntries(fields, alias, withinRow(plan.rows, translation), carried)
      return select([{ value: jsonArray(entries), alias: root }], clauses)
    }
    case 'row': {
      const { clauses } = rowsFrom(plan.rows, alias, parent, translation)
      const value = jsonObject(rowEntries(plan.fields, alias, withinRow(plan.rows, translation)))
      // A scalar sub-select must not find two rows, even if metadata declares an object relationship wrongly.
      const single = parent === undefined ? {} : { limit: integer(1) }
      return select([{ value, alias: root }], { ...clauses, ...single })
    }
    case 'aggregate':
      return aggregateJson(plan, alias, parent, translation, rowEntries)
    case 'connection':
      return connectionJson(plan, parent, translation, rowEntries)
    default:
      return plan satisfies never
  }
}

/** The selection of a row, as keys and values. */
export const rowEntries: RowEntries = (fields, alias, translation, carried = []) =>
  fields.map(({ key, value }): JsonEntry => {
    switch (value.kind) {
      case 'text':
        return { key, value: typeNameText(value.text) }
      case 'node-id':
        return { key, value: nodeId(value, alias) }
      case 'operand': {
        const operand = operandExpression(value.operand, rowScope(alias), translation)
        return { key, value: columnJson(operand, value.type, value.jsonPath, translation) }
      }
      case 'join-key':
        return { key, value: joinKey(value, alias) }
      case 'select': {
        const related = carriedFor(value.select, carried)
        const json =
          related === undefined
            ? selectJson(value.select, alias, translation)
            : carriedJson(related, alias, translation)
        return { key, value: subquery(json) }
      }
      default:
        return value satisfies never
    }
  })

/** A related row that the sorted row carries, as JSON. */
function carriedJson({ row, plan }: CarriedSelection, sorted: string, translation: Translation): Select {
  const entries = rowEntries(plan.fields, row.alias, withinRow(plan.rows, translation))
  return select([{ value: jsonObject(entries), alias: root }], carriedFrom(row, sorted))
}

/** Numbers that JavaScript can't represent become texts. The column that they are compared with has a type. */
function joinKey(
  { marker, columns }: Extract<RowFieldValue, { kind: 'join-key' }>,
  alias: string,
): Expression {
  const entries = columns.map(({ key, name, type }): JsonEntry => {
    const value = column(alias, name)
    return { key, value: isBigNumber(type) ? cast(value, builtinType('text')) : shownValue(value, type) }
  })
  return jsonObject([{ key: marker, value: jsonObject(entries) }])
}

/** A node id in Hasura's form: `[1, "public", "author", 7]` in base64. */
const nodeId = ({ table, key }: Extract<RowFieldValue, { kind: 'node-id' }>, alias: string): Expression =>
  base64(
    call(
      'json_build_array',
      integer(nodeIdVersion),
      cast(text(table.schema), builtinType('text')),
      cast(text(table.name), builtinType('text')),
      ...key.map((name) => column(alias, name)),
    ),
  )

function columnJson(
  operand: Expression,
  type: CatalogType,
  jsonPath: readonly string[] | undefined,
  { stringifyNumbers }: Translation,
): Expression {
  if (jsonPath !== undefined && jsonPath.length > 0) {
    const steps = jsonPath.map((step) => text(step))
    return binary(operand, '#>', { kind: 'array', items: steps, type: builtinType('_text') })
  }
  return stringifyNumbers && isBigNumber(type)
    ? cast(operand, builtinType('text'))
    : shownValue(operand, type)
}
