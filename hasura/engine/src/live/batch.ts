import { encodeLiteral } from '../sql/encode.ts'

/**
 * The parameters of a batched statement: the members' numbers, then for each parameter of the select an array with each
 * member's value.
 */
export const batchParameters = (
  parameterCount: number,
  members: readonly { readonly values: readonly (string | null)[] }[],
): readonly (string | null)[] => [
  arrayText(members.map((_, index) => String(index))),
  ...Array.from({ length: parameterCount }, (_, index) =>
    arrayText(members.map(({ values }) => values[index] ?? null)),
  ),
]

function arrayText(texts: readonly (string | null)[]): string | null {
  const encoded = encodeLiteral(texts, { scalar: 'string', list: true })
  return encoded.ok ? encoded.text : null
}

/** Splits a list into parts of at most `size`. */
export const chunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
