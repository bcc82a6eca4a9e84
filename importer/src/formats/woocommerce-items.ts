import { minorUnits } from './amounts.ts'
import type { Cells } from './shop-table.ts'

/** An item in a cell of WooCommerce's exports, such as `name:Tee|sku:TEE-M|quantity:2|total:20.00`. */
export type Item = (field: string) => string

/** The items of a cell that `separator` divides. */
export const itemsOf = (text: string, separator: string): readonly Item[] =>
  text
    .split(separator)
    .filter((part) => part.trim() !== '')
    .map(itemOf)

/** One item. Its texts can have a `|`: only one before a key begins the next field. */
export function itemOf(text: string): Item {
  const fields = new Map<string, string>()
  for (const part of text.split(/\|(?=[\w-]+:)/)) {
    const at = part.indexOf(':')
    const key = part.slice(0, at).trim()
    if (!fields.has(key)) fields.set(key, part.slice(at + 1).trim())
  }
  return (field) => fields.get(field) ?? ''
}

/** The bound on columns with a number, such as those of an order's lines. */
const maxNumbered = 500

/** The numbers from 1 on whose column is not empty, up to the first `gap` empty ones. */
export function numbersOf(cells: Cells, field: string, gap: number): readonly number[] {
  const found: number[] = []
  for (let n = 1; n <= maxNumbered && n - (found.at(-1) ?? 0) <= gap; n += 1)
    if (cells(field, n) !== '') found.push(n)
  return found
}

export const itemAmount = (item: Item, field: string, currency: string): number =>
  minorUnits(item(field), currency)
