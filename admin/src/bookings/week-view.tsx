import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import { addDays, dayIn, mondayOf, startOfDay } from '../format/shop-days.ts'
import type { BookingPeopleQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { useFilters } from '../ui/use-filters.ts'
import type { Column } from './appointment-columns.tsx'
import type { Appointment } from './appointment-names.ts'
import { AppointmentPlan } from './appointment-plan.tsx'
import { calendarAddress } from './calendar-address.ts'
import { useAppointments } from './use-appointments.ts'
import { useShownDay } from './use-shown-day.ts'

const filterNames = ['of'] as const
const everybody = 'all'

interface Props {
  readonly people: BookingPeopleQuery
}

/** A week's appointments by day: of everybody, or of one person or resource. */
export function WeekView({ people }: Props): ReactNode {
  const t = useText()
  const { day, today, go } = useShownDay()
  const [{ of: said }, say] = useFilters(filterNames)
  const all = [...people.staffMembers.nodes, ...people.resources.nodes]
  const of = all.some(({ id }) => id === said) ? said : everybody
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
      <Week key={`${mondayOf(day)} ${of}`} monday={mondayOf(day)} of={of} people={people} />
    </>
  )
}

interface WeekProps extends Props {
  readonly monday: string
  readonly of: string
}

function Week({ monday, of, people }: WeekProps): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const { weekday } = useFormat()
  const isOfStaff = people.staffMembers.nodes.some(({ id }) => id === of)
  const pages = useAppointments({
    firstDay: monday,
    days: 7,
    staffId: isOfStaff ? of : undefined,
    resourceId: isOfStaff || of === everybody ? undefined : of,
  })
  const today = dayIn(timeZone)
  const columnsOf = (appointments: readonly Appointment[]): readonly Column[] =>
    Array.from({ length: 7 }, (_, index) => {
      const day = addDays(monday, index)
      const name = weekday(startOfDay(day, timeZone).toISOString())
      return {
        id: day,
        name,
        link: { href: calendarAddress('day', { day }), label: t('planOf', { day: name }) },
        isToday: day === today,
        appointments: appointments.filter(({ startTime }) => dayIn(timeZone, new Date(startTime)) === day),
      }
    })
  return (
    <AppointmentPlan
      label={t('weekPlan')}
      pages={pages}
      columnsOf={columnsOf}
      placeOf={({ staff }, day) => ({ day, staffId: staff.id })}
      namesStaff={!isOfStaff}
      people={people}
    />
  )
}
