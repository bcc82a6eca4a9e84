interface Week {
  readonly firstDay: number
}

/** Browsers have one of the two, or neither. */
interface LocaleWithWeek extends Intl.Locale {
  readonly getWeekInfo?: () => Week
  readonly weekInfo?: Week
}

const monday = 1

/** The day on which weeks begin in the locale's region, as ISO 8601 counts it; Monday where the browser doesn't know. */
export function firstWeekdayOf(locale: string): number {
  const at: LocaleWithWeek = new Intl.Locale(locale)
  return (at.getWeekInfo?.() ?? at.weekInfo)?.firstDay ?? monday
}
