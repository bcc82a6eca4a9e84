import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import { addDays, dayIn, startOfDay, startOfWeek } from '../format/shop-days.ts'
import { firstWeekdayOf } from '../language/first-weekday.ts'
import { useLanguage, useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { useFilters } from '../ui/use-filters.ts'
import type { Column } from './appointment-columns.tsx'
import { AppointmentPlan } from './appointment-plan.tsx'
import { calendarAddress } from './calendar-address.ts'
import { useAppointments } from './use-appointments.ts'
import type { BookingPeople } from './use-booking-people.ts'
import { useShownDay } from './use-shown-day.ts'
import { workedHoursOf } from './working-hours.ts'

const filterNames = ['of'] as const
const everybody = 'all'

interface Props {
  readonly people: BookingPeople
}

/** A week's appointments by day: of everybody, or of one person or resource. */
export function WeekView({ people }: Props): ReactNode {
  const { t, locale } = useLanguage()
  const { day, today, go } = useShownDay()
  const [{ of: said }, say] = useFilters(filterNames)
  const all = [...people.staff, ...people.resources]
  const of = all.some(({ id }) => id === said) ? said : everybody
  const firstDay = startOfWeek(day, firstWeekdayOf(locale))
  return (
    <>
      <div className="filters">
        <IconButton icon="chevronLeft" label={t('weekBefore')} onPress={() => go(addDays(day, -7))} />
        <Button onPress={() => go(today)}>{t('today')}</Button>
        <IconButton icon="chevronRight" label={t('weekAfter')} onPress={() => go(addDays(day, 7))} />
        <TextField type="date" label={t('day')} value={day} onChange={(next) => next !== '' && go(next)} />
        <Select
          label={t('calendarOf')}
          value={of}
          onChange={(next) => say({ of: next === everybody ? '' : next })}
          choices={[
            { id: everybody, text: t('everybodysCalendar') },
            ...all
              .filter(({ id, active }) => active || id === of)
              .map(({ id, name }) => ({ id, text: name })),
          ]}
        />
      </div>
      <Week key={`${firstDay} ${of}`} firstDay={firstDay} of={of} people={people} />
    </>
  )
}

interface WeekProps extends Props {
  readonly firstDay: string
  readonly of: string
}

function Week({ firstDay, of, people }: WeekProps): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const { weekday } = useFormat()
  const person = people.staff.find(({ id }) => id === of)
  const pages = useAppointments({
    firstDay,
    days: 7,
    staffId: person?.id,
    resourceId: person !== undefined || of === everybody ? undefined : of,
  })
  const today = dayIn(timeZone)
  const columns = Array.from({ length: 7 }, (_, index): Column => {
    const day = addDays(firstDay, index)
    const name = weekday(startOfDay(day, timeZone).toISOString())
    return {
      id: day,
      name,
      link: { href: calendarAddress('day', { day }), label: t('planOf', { day: name }) },
      isToday: day === today,
      worked: person && workedHoursOf(person, day, timeZone),
      appointments: pages.rows.filter(({ startTime }) => dayIn(timeZone, new Date(startTime)) === day),
    }
  })
  return (
    <AppointmentPlan
      label={t('weekPlan')}
      pages={pages}
      columns={columns}
      placeOf={({ staff }, day) => ({ day, staffId: staff.id })}
      namesStaff={person === undefined}
      people={people}
    />
  )
}
