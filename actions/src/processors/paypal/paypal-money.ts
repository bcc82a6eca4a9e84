/** An amount as PayPal has it. */
export interface PaypalMoney {
  readonly currency_code: string
  readonly value: string
}

/** Of the currencies that PayPal takes, the yen alone has no smaller unit. */
const digitsOf = (currency: string): number => (currency === 'JPY' ? 0 : 2)

/** Currencies that PayPal takes whole units of only, although they have smaller ones. */
const wholeOnly: ReadonlySet<string> = new Set(['HUF', 'TWD'])

/** @param amount minor units. @returns null if PayPal can't take a part of the currency's unit */
export function toPaypal(amount: number, currency: string): PaypalMoney | null {
  const digits = digitsOf(currency)
  const text = String(amount).padStart(digits + 1, '0')
  const [whole, part] = [text.slice(0, text.length - digits), text.slice(text.length - digits)]
  if (!wholeOnly.has(currency))
    return { currency_code: currency, value: digits === 0 ? whole : `${whole}.${part}` }
  return Number(part) === 0 ? { currency_code: currency, value: whole } : null
}

/** Minor units. PayPal leaves zeros at the end out, or adds some. */
export function fromPaypal({ currency_code: currency, value }: PaypalMoney): number {
  const digits = digitsOf(currency)
  const [whole = '0', part = ''] = value.split('.')
  return Number(`${whole}${part.padEnd(digits, '0').slice(0, digits)}`)
}
