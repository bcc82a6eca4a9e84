import { InputError } from '../input/input-error.ts'
import { type DecimalSign, decimalSignsOf, minorUnits } from './amounts.ts'
import { type Cells, readTable, type Source } from './shop-table.ts'

/** A price in minor units; NaN if the cell has none. */
export type PriceOf = (cells: Cells, field: string) => number

/**
 * Reads the prices of a file whose shop writes them with a decimal sign of its own. The file doesn't name the sign; prices such as
 * `12,50` tell it. `1,234` is one thousand or one and a fraction, so it takes such a price elsewhere in the file.
 *
 * The reader throws an InputError for a price that nothing tells the value of: a guess would be wrong by a factor of a thousand.
 */
export async function localizedPrices(
  file: string,
  { mapping, currency }: Source,
  fields: readonly string[],
): Promise<PriceOf> {
  const signs = new Set<DecimalSign>()
  for await (const cells of readTable(file, mapping))
    for (const field of fields) {
      const [sign, another] = decimalSignsOf(cells(field))
      if (sign !== undefined && another === undefined) signs.add(sign)
    }
  const [ofFile, another] = signs
  const known = another === undefined ? ofFile : undefined
  return (cells, field) => {
    const text = cells(field)
    if (text === '') return Number.NaN
    const [sign, other] = decimalSignsOf(text)
    if (other !== undefined && known === undefined && /[.,]/.test(text))
      throw new InputError(
        `${file}, line ${cells.line}, column "${mapping[field]}": ${text} is one thousand or a fraction, and the other prices don't ` +
          `tell whether the file's decimal sign is a comma or a point. Write it without thousands' separators (${text.replace(/[.,]/, '')}) ` +
          `or with another digit (${text}0)`,
      )
    return minorUnits(text, currency, other === undefined ? sign : known)
  }
}
