import { useMemo } from 'react'
import type { Weekday } from '../generated/operations.ts'
import { firstWeekdayOf } from '../language/first-weekday.ts'
import { useLanguage } from '../language/language.tsx'
import { weekdays } from './schedule-entry.ts'

interface NamedWeekday {
  readonly id: Weekday
  readonly name: string
}

/** A Monday. */
const monday = Date.UTC(2024, 0, 1)

/** The days of the week as the language calls them, from the one on which weeks begin in its region. */
export function useWeekdays(): readonly NamedWeekday[] {
  const { locale } = useLanguage()
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
    const named = weekdays.map((id, index) => ({ id, name: format.format(monday + index * 86_400_000) }))
    const first = firstWeekdayOf(locale) - 1
    return [...named.slice(first), ...named.slice(0, first)]
  }, [locale])
}
