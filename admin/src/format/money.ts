import { currencyExponent } from '@commerce-graph/client'

/** How many of the smallest unit make one of the currency: 100 of USD, 1 of JPY, 1,000 of KWD. */
export const unitsOf = (currency: string): number => 10 ** currencyExponent(currency)

/** How an amount is written, and typed: with the decimals that the API counts in, whatever the browser's own data say. */
export function moneyOptions(currency: string) {
  const digits = currencyExponent(currency)
  return {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const satisfies Intl.NumberFormatOptions
}
