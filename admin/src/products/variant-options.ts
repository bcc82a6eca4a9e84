import type { UpdateProductVariantInput } from '../generated/operations.ts'

export interface Option {
  readonly name: string
  readonly value: string
}

/** The options in which the variants differ, in the order of their first use: `Size`, `Color`. */
export const optionNames = (
  variants: readonly { readonly options: readonly Option[] }[],
): readonly string[] => [...new Set(variants.flatMap(({ options }) => options.map(({ name }) => name)))]

/** `S, M,, M ` are two values. */
export const valuesOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  ),
]

/** Every combination of the values, in order: the last option changes first. */
export function combinations(options: readonly { name: string; values: readonly string[] }[]): Option[][] {
  const used = options.filter(({ name, values }) => name.trim() !== '' && values.length > 0)
  if (used.length === 0) return []
  return used.reduce<Option[][]>(
    (made, { name, values }) =>
      made.flatMap((each) => values.map((value) => [...each, { name: name.trim(), value }])),
    [[]],
  )
}

const keyOf = (options: readonly Option[]): string =>
  options
    .map(({ name, value }) => `${name.toLowerCase()}=${value.toLowerCase()}`)
    .toSorted()
    .join('&')

/** Those that no variant has yet. */
export function missingCombinations(
  all: readonly (readonly Option[])[],
  variants: readonly { readonly options: readonly Option[] }[],
): readonly (readonly Option[])[] {
  const known = new Set(variants.map(({ options }) => keyOf(options)))
  return all.filter((options) => !known.has(keyOf(options)))
}

/** `TENT` with Size M and Color Dark green is `TENT-M-DARK-GREEN`. */
export const skuFor = (sku: string, options: readonly Option[]): string =>
  [sku, ...options.map(({ value }) => value)]
    .join('-')
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9._-]+/g, '-')
    .slice(0, 100)

/** What is sent of a row's fields that were changed. An empty price is none that could be sent. */
export const variantInput = (
  { sku, price }: { readonly sku?: string; readonly price?: number },
  units: number,
): UpdateProductVariantInput => ({
  ...(sku !== undefined && { sku }),
  ...(price !== undefined && !Number.isNaN(price) && { price: Math.round(price * units) }),
})
