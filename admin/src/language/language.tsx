import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { catalogue, type MessageName } from './catalogue.ts'

export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

const key = 'commerce-admin-language'

function preferred(): Language {
  const chosen = localStorage.getItem(key) ?? navigator.language.slice(0, 2)
  return languages.find((language) => language === chosen) ?? 'en'
}

type Values = Readonly<Record<string, string | number>>
export type Translate = (name: MessageName, values?: Values) => string

interface LanguageContext {
  readonly language: Language
  /** For Intl: the language, and the region that the browser says. */
  readonly locale: string
  readonly choose: (language: Language) => void
  readonly t: Translate
}

const Context = createContext<LanguageContext | null>(null)

export function LanguageProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState(preferred)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const value = useMemo((): LanguageContext => {
    const locale =
      navigator.languages.find((each) => each.startsWith(language)) ?? (language === 'en' ? 'en-US' : 'de-DE')
    return {
      language,
      locale,
      choose(next) {
        localStorage.setItem(key, next)
        setLanguage(next)
      },
      t: (name, values = {}) => translate(language, name, values),
    }
  }, [language])
  return (
    <Context value={value}>
      <I18nProvider locale={value.locale}>{children}</I18nProvider>
    </Context>
  )
}

function translate(language: Language, name: MessageName, values: Values): string {
  const message: string | { readonly one: string; readonly other: string } = catalogue[name][language]
  const text =
    typeof message === 'string'
      ? message
      : new Intl.PluralRules(language).select(Number(values['count'])) === 'one'
        ? message.one
        : message.other
  return text.replaceAll(/\{(\w+)\}/g, (_placeholder, value: string) => String(values[value] ?? ''))
}

export function useLanguage(): LanguageContext {
  const context = useContext(Context)
  if (context === null) throw new Error('There is no LanguageProvider around this')
  return context
}

export const useText = (): Translate => useLanguage().t
