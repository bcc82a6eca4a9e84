import { useMemo } from 'react'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { moneyOptions, unitsOf } from './money.ts'

export interface Format {
  /** @param minor the amount in the currency's smallest unit, as the API has it */
  readonly money: (minor: number, currency: string) => string
  /** Without decimals, for charts and large numbers. */
  readonly roundMoney: (minor: number, currency: string) => string
  readonly number: (value: number) => string
  /** A change, with its sign. */
  readonly percent: (value: number) => string
  /** A part of a whole, from 0 to 1. */
  readonly share: (value: number) => string
  readonly bytes: (value: number) => string
  /** In the shop's time zone, as all dates. */
  readonly date: (iso: string) => string
  readonly dateTime: (iso: string) => string
  readonly day: (iso: string) => string
  /** A day with its name. */
  readonly weekday: (iso: string) => string
  readonly time: (iso: string) => string
  /** From one time of day to another. */
  readonly times: (from: string, to: string) => string
}

/** Amounts, numbers and dates as the language writes them. */
export function useFormat(): Format {
  const { locale } = useLanguage()
  const { timeZone } = useShop()
  return useMemo(() => formatFor(locale, timeZone), [locale, timeZone])
}

export function formatFor(locale: string, timeZone: string): Format {
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone, ...options })
    return (iso: string) => format.format(new Date(iso))
  }
  const clock = new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'short' })
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const kilobytes = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'kilobyte',
    maximumFractionDigits: 1,
  })
  const moneys = new Map<string, Intl.NumberFormat>()
  const moneyFormat = (currency: string, round: boolean) => {
    const key = `${currency} ${round}`
    const digits = round ? { maximumFractionDigits: 0, minimumFractionDigits: 0 } : {}
    const format = moneys.get(key) ?? new Intl.NumberFormat(locale, { ...moneyOptions(currency), ...digits })
    moneys.set(key, format)
    return format
  }
  return {
    money: (minor, currency) => moneyFormat(currency, false).format(minor / unitsOf(currency)),
    roundMoney: (minor, currency) => moneyFormat(currency, true).format(minor / unitsOf(currency)),
    number: (value) => numbers.format(value),
    percent: (value) => percents.format(value),
    share: (value) => shares.format(value),
    bytes: (value) => kilobytes.format(value / 1_000),
    date: dates({ dateStyle: 'medium' }),
    dateTime: dates({ dateStyle: 'medium', timeStyle: 'short' }),
    day: dates({ day: 'numeric', month: 'short' }),
    weekday: dates({ weekday: 'short', day: 'numeric', month: 'short' }),
    time: (iso) => clock.format(new Date(iso)),
    times: (from, to) => clock.formatRange(new Date(from), new Date(to)),
  }
}
