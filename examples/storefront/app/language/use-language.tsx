import { currencyExponent } from '@commerce-graph/client'
import { createContext, useContext } from 'react'
import type { Language, MessageName } from './catalogue.ts'
import { translate, type Values } from './translate.ts'

/** The page's language: the server has found it out, and the browser takes it over. */
export const LanguageContext = createContext<Language>('en')

export interface Speech {
  readonly language: Language
  readonly t: (name: MessageName, values?: Values) => string
  /** @param amount in minor units, as all amounts of the API */
  readonly money: (amount: number, currency: string) => string
  readonly date: (time: string) => string
}

export function useLanguage(): Speech {
  const language = useContext(LanguageContext)
  return {
    language,
    t: (name, values) => translate(language, name, values),
    money(amount, currency) {
      // The API says in which unit the amount is, and Intl only how the language writes it: Intl's decimals are not always the API's.
      const digits = currencyExponent(currency)
      const format = new Intl.NumberFormat(language, {
        style: 'currency',
        currency,
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      })
      return format.format(amount / 10 ** digits)
    },
    // The server and the browser may be in different time zones, and have to write the same.
    date: (time) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(time)),
  }
}
