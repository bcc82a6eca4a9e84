import { unusualExponents } from './generated/unusual-exponents.ts'

/**
 * Digits after the point of a currency's amounts, by ISO 4217: 2 for `USD`, 0 for `JPY`, 3 for `KWD`. The API's amounts are whole numbers of
 * minor units, so `1234` of `USD` is `1234 / 10 ** currencyExponent('USD')`. Don't ask Intl: it has no decimals for `HUF`, which has two.
 */
export const currencyExponent = (currency: string): number => unusualExponents[currency] ?? 2
