/**
 * Divides an amount in proportion to weights, in whole minor units, which add up to it exactly. What is left over goes to the
 * largest remainders, and to the first part when there are no weights.
 */
export function allocate(amount: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + BigInt(weight), 0n)
  if (sum === 0n) return weights.map((_, index) => (index === 0 ? amount : 0))
  const shares = weights.map((weight, index) => {
    const product = BigInt(amount) * BigInt(weight)
    return { index, part: Number(product / sum), rest: product % sum }
  })
  const left = amount - shares.reduce((all, { part }) => all + part, 0)
  const rounded = new Set(
    [...shares]
      .sort((one, other) =>
        other.rest > one.rest ? 1 : other.rest < one.rest ? -1 : one.index - other.index,
      )
      .slice(0, left)
      .map(({ index }) => index),
  )
  return shares.map(({ index, part }) => part + (rounded.has(index) ? 1 : 0))
}
