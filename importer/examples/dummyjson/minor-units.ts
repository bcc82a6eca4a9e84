const decimal = /^(\d+)(?:\.(\d{1,2})0*)?$/

/**
 * Minor units of a decimal amount in a currency with two digits, by moving digits: 9.99 -> 999, 64.5 -> 6450. A
 * number prints as the shortest text that reads back as itself, so its text equals the file's.
 *
 * @throws RangeError for a negative amount, or one with a fraction of a minor unit
 */
export function minorUnits(amount: number): number {
  const match = decimal.exec(String(amount))
  if (match === null) throw new RangeError(`${amount} is no amount with at most two decimals`)
  const [, whole = '', fraction = ''] = match
  return Number(whole + fraction.padEnd(2, '0'))
}
