import type { UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'

interface Modifications {
  readonly updateItems: readonly { readonly id: string }[] | null
  readonly removeItemIds: readonly string[] | null
}

/** Lines of an order that are to be changed and removed, or changed twice. */
export function repeatedLines({ updateItems, removeItemIds }: Modifications): readonly UserError[] {
  const removed = removeItemIds ?? []
  return repeated(updateItems ?? [], removed, (line) => line.id).map((index) =>
    namedTwice(`updateItems.${index}.id`),
  )
}

/** Units of a line that are named in several entries. */
export const repeatedUnits = (
  list: string,
  units: readonly { readonly orderItemId: string }[],
): readonly UserError[] =>
  repeated(units, [], (unit) => unit.orderItemId).map((index) => namedTwice(`${list}.${index}.orderItemId`))

/** The indexes of the entries whose id was named before. */
function repeated<Entry>(
  entries: readonly Entry[],
  before: readonly string[],
  idOf: (entry: Entry) => string,
): readonly number[] {
  const named = new Set(before)
  return entries.flatMap((entry, index) => {
    const id = idOf(entry)
    if (named.has(id)) return [index]
    named.add(id)
    return []
  })
}

const namedTwice = (field: string): UserError => invalidValue(field, 'The line is named twice')
