import { catalogue, type Language, languages, type MessageName } from './catalogue.ts'

export type Values = Readonly<Record<string, string | number>>

export function translate(language: Language, name: MessageName, values: Values = {}): string {
  const message: string | { readonly one: string; readonly other: string } = catalogue[name][language]
  const text =
    typeof message === 'string'
      ? message
      : new Intl.PluralRules(language).select(Number(values['count'])) === 'one'
        ? message.one
        : message.other
  return text.replaceAll(/\{(\w+)\}/g, (_placeholder, value: string) => String(values[value] ?? ''))
}

/** The language that a visitor has chosen, or that the browser asks for. */
export function languageOf(request: Request): Language {
  const chosen = /(?:^|;\s*)language=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  const asked = request.headers.get('accept-language')?.split(',') ?? []
  const wanted = [chosen, ...asked.map((each) => each.trim().slice(0, 2))]
  return wanted.flatMap((each) => languages.filter((language) => language === each))[0] ?? 'en'
}
