import type { ReactNode } from 'react'
import { addDays } from '../format/shop-days.ts'
import type { BookingPeopleQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { Empty } from '../ui/states.tsx'
import { useFilters } from '../ui/use-filters.ts'
import type { Column } from './appointment-columns.tsx'
import type { Appointment } from './appointment-names.ts'
import { AppointmentPlan } from './appointment-plan.tsx'
import { calendarAddress } from './calendar-address.ts'
import { useAppointments } from './use-appointments.ts'
import { useShownDay } from './use-shown-day.ts'

const filterNames = ['by'] as const
type ColumnsBy = 'staff' | 'resource'

interface Props {
  readonly people: BookingPeopleQuery
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
          onChange={(next) => say({ by: next === 'staff' ? '' : next })}
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
  const pages = useAppointments({ firstDay: day, days: 1 })
  const columnsOf = (appointments: readonly Appointment[]): readonly Column[] =>
    columnsBy(by, appointments, people).map((column) => ({
      ...column,
      link: {
        href: calendarAddress('week', { day, of: column.id }),
        label: t('weekOf', { name: column.name }),
      },
    }))
  if (!pages.pending && columnsOf(pages.rows).length === 0)
    return <Empty icon="users" title={t('noStaff')} text={t('noStaffText')} />
  return (
    <AppointmentPlan
      label={t('dayPlan')}
      pages={pages}
      columnsOf={columnsOf}
      placeOf={({ staff }, columnId) => ({ day, staffId: by === 'staff' ? columnId : staff.id })}
      namesStaff={by === 'resource'}
      people={people}
    />
  )
}

/** Those who work, and whoever else has an appointment that day. */
function columnsBy(
  by: ColumnsBy,
  appointments: readonly Appointment[],
  people: BookingPeopleQuery,
): readonly Column[] {
  const of = (id: string) =>
    appointments.filter(({ staff, resources }) =>
      by === 'staff' ? staff.id === id : resources.some((resource) => resource.id === id),
    )
  const all = by === 'staff' ? people.staffMembers.nodes : people.resources.nodes
  return all
    .map(({ id, name, active }) => ({ id, name, active, appointments: of(id) }))
    .filter((column) => column.active || column.appointments.length > 0)
}
