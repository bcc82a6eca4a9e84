import { dayIn } from '../format/shop-days.ts'
import { useShop } from '../shell/shop.ts'
import { useFilters } from '../ui/use-filters.ts'

const names = ['day'] as const

interface ShownDay {
  readonly day: string
  readonly today: string
  readonly go: (day: string) => void
}

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** The day of the calendar, which is in the address unless it is today. */
export function useShownDay(): ShownDay {
  const { timeZone } = useShop()
  const [said, say] = useFilters(names)
  const today = dayIn(timeZone)
  return {
    day: isDay(said.day) ? said.day : today,
    today,
    go: (day) => say({ day: day === today ? '' : day }),
  }
}
