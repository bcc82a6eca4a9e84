import { useMemo } from 'react'
import type { Weekday } from '../generated/operations.ts'
import { useLanguage } from '../language/language.tsx'
import { weekdays } from './schedule-entry.ts'

/** A Monday. */
const monday = Date.UTC(2024, 0, 1)

/** The days of the week as the language calls them. */
export function useWeekdayNames(): Readonly<Record<Weekday, string>> {
  const { locale } = useLanguage()
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
    const nameOf = (index: number) => format.format(monday + index * 86_400_000)
    return Object.fromEntries(weekdays.map((day, index) => [day, nameOf(index)])) as Record<Weekday, string>
  }, [locale])
}
