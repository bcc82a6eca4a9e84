import { currencyExponent } from '@commerce-graph/contract/input'
import type { AmountRefusal } from '../processor.ts'

/** An amount as PayPal has it. */
export interface PaypalMoney {
  readonly currency_code: string
  readonly value: string
}

/** The currencies that PayPal takes: https://developer.paypal.com/api/rest/reference/currency-codes/ */
const taken: ReadonlySet<string> = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD'.split(
    ' ',
  ),
)

/** Those that it takes whole units of only, although ISO 4217 has smaller ones (ibid.). */
const wholeOnly: ReadonlySet<string> = new Set(['HUF', 'TWD'])

export type PaypalAmount =
  | { readonly kind: 'amount'; readonly money: PaypalMoney }
  | { readonly kind: 'refused'; readonly because: AmountRefusal }

/** @param amount minor units by ISO 4217 */
export function toPaypal(amount: number, currency: string): PaypalAmount {
  if (!taken.has(currency)) return { kind: 'refused', because: 'currency_not_supported' }
  const digits = currencyExponent(currency)
  const text = String(amount).padStart(digits + 1, '0')
  const [whole, part] = [text.slice(0, text.length - digits), text.slice(text.length - digits)]
  const isWhole = digits === 0 || wholeOnly.has(currency)
  if (isWhole && Number(part) !== 0) return { kind: 'refused', because: 'decimals_not_supported' }
  return { kind: 'amount', money: { currency_code: currency, value: isWhole ? whole : `${whole}.${part}` } }
}

/** Minor units by ISO 4217. PayPal leaves zeros at the end out, or adds some. */
export function fromPaypal({ currency_code: currency, value }: PaypalMoney): number {
  const digits = currencyExponent(currency)
  const [whole = '0', part = ''] = value.split('.')
  return Number(`${whole}${part.padEnd(digits, '0').slice(0, digits)}`)
}
