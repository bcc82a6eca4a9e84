import { onePerField } from '@commerce-graph/contract'
import type { Operation } from '@commerce-graph/data-layer'
import {
  alreadyExists,
  isUnicodeText,
  notFound,
  requiredField,
  type UserError,
} from '@commerce-graph/contract/input'
import { printVariableDefinitions } from '../plan/hasura-document.ts'
import { toUuid } from '../projection/filter.ts'
import type { LookUp } from './definition.ts'

/** A list beyond this is too long for any field, which is refused anyway. */
const maxValues = 1_000

/** No row has a text that Postgres can't hold, and it can't even be asked. */
const askedOf = (lookUps: readonly LookUp[]): readonly LookUp[] =>
  lookUps
    .map((lookUp) => ({
      ...lookUp,
      values: lookUp.values.filter(({ value }) => isUnicodeText(value)).slice(0, maxValues),
    }))
    .filter(({ values }) => values.length > 0)

/** One query for all look-ups, or null when there is nothing to look up. */
export function lookUpOperation(lookUps: readonly LookUp[]): Operation | null {
  const asked = askedOf(lookUps)
  if (asked.length === 0) return null
  const declared = asked.map(({ table }, index) => ({ name: `where${index}`, type: `${table}_bool_exp!` }))
  const fields = asked.map(
    ({ table, column }, index) => `found${index}: ${table}(where: $where${index}) { value: ${column} }`,
  )
  return {
    query: `query${printVariableDefinitions(declared)} { ${fields.join(' ')} }`,
    variables: Object.fromEntries(asked.map((lookUp, index) => [`where${index}`, conditionOf(lookUp)])),
  }
}

const conditionOf = ({ column, values, where }: LookUp): unknown => ({
  _and: [{ [column]: { _in: values.map(({ value }) => keyOf(column, value)) } }, where ?? {}],
})

/** The errors of the input that the look-up's answer shows. */
export function lookUpErrors(
  lookUps: readonly LookUp[],
  answer: Readonly<Record<string, unknown>>,
): readonly UserError[] {
  const asked = askedOf(lookUps)
  const errors = asked.flatMap(({ column, expect, values, what }, index) => {
    const rows = answer[`found${index}`] as readonly { readonly value: unknown }[]
    const found = new Set(rows.map(({ value }) => keyOf(column, String(value))))
    return values.flatMap(({ field, value }) => {
      const isThere = found.has(keyOf(column, value))
      if (expect === 'absent') return isThere ? [alreadyExists(field, value)] : []
      if (isThere) return []
      return value.trim() === '' ? [requiredField(field)] : [notFound(field, what, value)]
    })
  })
  return onePerField(errors)
}

/** A value as its column compares it. */
function keyOf(column: string, value: string): string {
  switch (column) {
    case 'id':
      return toUuid(value)
    case 'email':
      return value.toLowerCase()
    default:
      return value
  }
}
