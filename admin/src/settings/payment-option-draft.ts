import { differing } from '../api/differing.ts'
import type {
  CreatePaymentOptionInput,
  PaymentMethod,
  PaymentOptionListQuery,
  UpdatePaymentOptionInput,
} from '../generated/operations.ts'

export type PaymentOption = PaymentOptionListQuery['paymentOptions'][number]

/** A way to pay as one types it. Money is in the currency's own unit, a number that is left out is NaN, and codes stand in one text. */
export interface PaymentOptionDraft {
  readonly method: PaymentMethod
  readonly name: string
  readonly instructions: string
  readonly enabled: boolean
  readonly currencies: string
  readonly countries: string
  readonly minAmount: number
  readonly maxAmount: number
  readonly paymentMinutes: number
}

/** How the shop counts money. */
export interface ShopMoney {
  readonly currency: string
  /** How many of the smallest unit make one of the currency. */
  readonly unitsOf: (currency: string) => number
}

export const newOption = (method: PaymentMethod, name: string): PaymentOptionDraft => ({
  method,
  name,
  instructions: '',
  enabled: true,
  currencies: '',
  countries: '',
  minAmount: NaN,
  maxAmount: NaN,
  paymentMinutes: NaN,
})

const codesOf = (text: string): string[] =>
  text
    .toUpperCase()
    .split(/[\s,]+/)
    .filter((code) => code !== '')

/** The currency in which the totals of an option are shown: its only one, or else the shop's. The API compares smallest units, whatever they are of. */
export const currencyOfTotals = (currencies: readonly string[], { currency }: ShopMoney): string =>
  onlyCurrency(currencies) ?? currency

function onlyCurrency(currencies: readonly string[]): string | null {
  const [only = ''] = currencies
  return currencies.length === 1 && /^[A-Z]{3}$/.test(only) ? only : null
}

export const currencyOfDraft = ({ currencies }: PaymentOptionDraft, shop: ShopMoney): string =>
  currencyOfTotals(codesOf(currencies), shop)

/** Whether the totals are compared with those of orders in several currencies. */
export const mixesCurrencies = ({ currencies }: PaymentOptionDraft): boolean =>
  onlyCurrency(codesOf(currencies)) === null

export function draftOf(option: PaymentOption, shop: ShopMoney): PaymentOptionDraft {
  const units = shop.unitsOf(currencyOfTotals(option.currencies, shop))
  const major = (minor: number | null) => (minor === null ? NaN : minor / units)
  return {
    method: option.method,
    name: option.name,
    instructions: option.instructions ?? '',
    enabled: option.enabled,
    currencies: option.currencies.join(', '),
    countries: option.countries.join(', '),
    minAmount: major(option.minAmount),
    maxAmount: major(option.maxAmount),
    paymentMinutes: option.paymentMinutes ?? NaN,
  }
}

/** Whether an order waits for the money of the method for as many minutes as the option says. */
export const waits = (method: PaymentMethod): boolean => method === 'INVOICE' || method === 'CASH_ON_DELIVERY'

function termsOf(draft: PaymentOptionDraft, shop: ShopMoney) {
  const { method, name, instructions, enabled, paymentMinutes } = draft
  const units = shop.unitsOf(currencyOfDraft(draft, shop))
  const minor = (amount: number) => (Number.isNaN(amount) ? null : Math.round(amount * units))
  return {
    name,
    instructions: instructions.trim() === '' ? null : instructions,
    enabled,
    currencies: codesOf(draft.currencies),
    countries: codesOf(draft.countries),
    minAmount: minor(draft.minAmount),
    maxAmount: minor(draft.maxAmount),
    paymentMinutes: waits(method) && !Number.isNaN(paymentMinutes) ? paymentMinutes : null,
  }
}

/** @param options those that there are: the new one comes after them */
export const optionInput = (
  draft: PaymentOptionDraft,
  options: readonly PaymentOption[],
  shop: ShopMoney,
): CreatePaymentOptionInput => ({
  ...termsOf(draft, shop),
  method: draft.method,
  position: options.reduce((next, { position }) => Math.max(next, position + 1), 0),
})

/** What is sent of the fields that were changed. Totals count as changed if another currency gives their figures another meaning. */
export const optionChanges = (
  draft: PaymentOptionDraft,
  loaded: PaymentOptionDraft,
  shop: ShopMoney,
): UpdatePaymentOptionInput => differing(termsOf(draft, shop), termsOf(loaded, shop))

/** Those whose position has to be another one, so that the options stand in this order. */
export const positionChanges = (
  options: readonly PaymentOption[],
): readonly { readonly id: string; readonly position: number }[] =>
  options.flatMap(({ id, position }, place) => (position === place ? [] : [{ id, position: place }]))
