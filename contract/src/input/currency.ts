import type { Fault } from './fault.ts'

/** As the ICU of this Node knows them. How many decimals they have is said by `currency-exponent.ts`. */
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** The form of a currency, for messages. */
export const currencyFormat = 'ISO 4217 currency code, for example USD'

/** Whether it is an ISO 4217 code in use, in capitals. */
export const isCurrency = (code: string): boolean => currencies.has(code)

export function currencyFault(code: string): Fault | null {
  if (code.trim() === '') return { kind: 'required' }
  return isCurrency(code) ? null : { kind: 'format', expected: currencyFormat }
}
