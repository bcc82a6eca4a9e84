import type { ReactNode } from 'react'
import { addDays } from '../format/shop-days.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { Empty } from '../ui/states.tsx'
import { useFilters } from '../ui/use-filters.ts'
import type { Column } from './appointment-columns.tsx'
import type { Appointment } from './appointment-names.ts'
import { AppointmentPlan } from './appointment-plan.tsx'
import { calendarAddress } from './calendar-address.ts'
import { type ColumnPage, columnPage } from './column-page.ts'
import { useAppointments } from './use-appointments.ts'
import type { BookingPeople } from './use-booking-people.ts'
import { useShownDay } from './use-shown-day.ts'
import { workedHoursOf } from './working-hours.ts'

const filterNames = ['by', 'page'] as const
const pageNames = ['page'] as const
type ColumnsBy = 'staff' | 'resource'

interface Props {
  readonly people: BookingPeople
}

/** A day's appointments by person or resource. */
export function DayView({ people }: Props): ReactNode {
  const t = useText()
  const { day, today, go } = useShownDay()
  const [said, say] = useFilters(filterNames)
  const by: ColumnsBy = said.by === 'resource' ? 'resource' : 'staff'
  return (
    <>
      <div className="filters">
        <IconButton icon="chevronLeft" label={t('dayBefore')} onPress={() => go(addDays(day, -1))} />
        <Button onPress={() => go(today)}>{t('today')}</Button>
        <IconButton icon="chevronRight" label={t('dayAfter')} onPress={() => go(addDays(day, 1))} />
        <TextField type="date" label={t('day')} value={day} onChange={(next) => next !== '' && go(next)} />
        <Select
          label={t('columnsBy')}
          value={by}
          onChange={(next) => say({ by: next === 'staff' ? '' : next, page: '' })}
          choices={[
            { id: 'staff', text: t('byStaff') },
            { id: 'resource', text: t('byResource') },
          ]}
        />
      </div>
      <Day key={day} day={day} by={by} people={people} />
    </>
  )
}

interface DayProps extends Props {
  readonly day: string
  readonly by: ColumnsBy
}

function Day({ day, by, people }: DayProps): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const [{ page }] = useFilters(pageNames)
  const pages = useAppointments({ firstDay: day, days: 1 })
  const all = columnsBy(by, pages.rows, people)
  if (!pages.pending && all.length === 0)
    return <Empty icon="users" title={t('noStaff')} text={t('noStaffText')} />
  const shown = columnPage(all, page)
  const workedBy = (id: string) => {
    const person = people.staff.find((each) => each.id === id)
    return person && workedHoursOf(person, day, timeZone)
  }
  return (
    <>
      {shown.columns.length < all.length && <Pager page={shown} />}
      <AppointmentPlan
        label={t('dayPlan')}
        pages={pages}
        columns={shown.columns.map((column) => ({
          ...column,
          link: {
            href: calendarAddress('week', { day, of: column.id }),
            label: t('weekOf', { name: column.name }),
          },
          worked: workedBy(column.id),
        }))}
        placeOf={({ staff }, columnId) => ({ day, staffId: by === 'staff' ? columnId : staff.id })}
        namesStaff={by === 'resource'}
        people={people}
      />
    </>
  )
}

/** Which of the columns are shown, and the way to the others. */
function Pager({
  page: { from, to, count, page, hasNext },
}: {
  readonly page: ColumnPage<Column>
}): ReactNode {
  const t = useText()
  const [, say] = useFilters(pageNames)
  const go = (next: number) => say({ page: next === 1 ? '' : String(next) })
  return (
    <div className="chips">
      <IconButton
        icon="chevronLeft"
        label={t('columnsBefore')}
        isDisabled={page === 1}
        onPress={() => go(page - 1)}
      />
      <span aria-live="polite">{t('columnsShown', { from, to, count })}</span>
      <IconButton
        icon="chevronRight"
        label={t('columnsAfter')}
        isDisabled={!hasNext}
        onPress={() => go(page + 1)}
      />
    </div>
  )
}

/** Those who work, and whoever else has an appointment that day. */
function columnsBy(
  by: ColumnsBy,
  appointments: readonly Appointment[],
  people: BookingPeople,
): readonly Column[] {
  const of = (id: string) =>
    appointments.filter(({ staff, resources }) =>
      by === 'staff' ? staff.id === id : resources.some((resource) => resource.id === id),
    )
  const all = by === 'staff' ? people.staff : people.resources
  return all
    .map(({ id, name, active }) => ({ id, name, active, appointments: of(id) }))
    .filter((column) => column.active || column.appointments.length > 0)
}
