import { type ReactNode, useMemo, useState } from 'react'
import { useApi } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import { addDays, dayIn, startOfDay } from '../format/shop-days.ts'
import { instantOf, timeOfDay } from '../format/shop-times.ts'
import {
  AppointmentsOfDayDocument,
  BookingPeopleDocument,
  type BookingPeopleQuery,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { useFilters } from '../ui/use-filters.ts'
import { AppointmentDialog } from './appointment-dialog.tsx'
import type { Appointment } from './appointment-names.ts'
import { BookDialog } from './book-dialog.tsx'
import { type Column, DayColumns } from './day-columns.tsx'
import { clock, hoursOf, minutesOf } from './day-grid.ts'
import { useMove } from './use-move.ts'

const filterNames = ['day', 'by'] as const

/** A day's appointments by person or resource. */
export default function BookingsPage(): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const { date } = useFormat()
  const mayWrite = useMay('booking:write')
  const [said, say] = useFilters(filterNames)
  const today = dayIn(timeZone)
  const day = /^\d{4}-\d\d-\d\d$/.test(said.day) && !Number.isNaN(Date.parse(said.day)) ? said.day : today
  const by = said.by === 'resource' ? 'resource' : 'staff'
  const [booking, setBooking] = useState(false)
  const people = useApi('bookings', BookingPeopleDocument, {})
  const go = (next: string) => say({ day: next === today ? '' : next })
  return (
    <Page
      title={t('bookings')}
      lead={date(startOfDay(day, timeZone).toISOString())}
      actions={
        mayWrite && (
          <Button
            icon="plus"
            look="primary"
            isDisabled={people.data === undefined}
            onPress={() => setBooking(true)}
          >
            {t('newAppointment')}
          </Button>
        )
      }
    >
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
      {people.error ? (
        <Failed error={people.error} retry={() => void people.refetch()} />
      ) : people.data === undefined ? (
        <Loading lines={8} />
      ) : (
        <Day day={day} by={by} people={people.data} />
      )}
      {booking && people.data !== undefined && (
        <BookDialog day={day} people={people.data} onClose={() => setBooking(false)} />
      )}
    </Page>
  )
}

interface DayProps {
  readonly day: string
  readonly by: 'staff' | 'resource'
  readonly people: BookingPeopleQuery
}

function Day({ day, by, people }: DayProps): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const mayWrite = useMay('booking:write')
  const [openId, setOpenId] = useState<string | null>(null)
  const { move, error: moveError } = useMove()
  const { data, error, refetch } = useApi('bookings', AppointmentsOfDayDocument, {
    from: startOfDay(day, timeZone).toISOString(),
    to: startOfDay(addDays(day, 1), timeZone).toISOString(),
  })
  const appointments = useMemo(() => data?.appointments.nodes ?? [], [data])
  const columns = useMemo(() => columnsOf(appointments, by, people), [appointments, by, people])
  if (error) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading lines={8} />
  if (columns.length === 0) return <Empty icon="users" title={t('noStaff')} text={t('noStaffText')} />
  const minutesAt = (iso: string) => minutesOf(timeOfDay(iso, timeZone))
  const hours = hoursOf(
    appointments.map(({ startTime, endTime }) => ({ from: minutesAt(startTime), to: minutesAt(endTime) })),
  )
  const drop = (appointment: Appointment, minutes: number, columnId: string) => {
    const at = instantOf(`${day}T${clock(minutes)}`, timeZone)
    const staffId = by === 'staff' ? columnId : appointment.staff.id
    const isMoved = minutes !== minutesAt(appointment.startTime) || staffId !== appointment.staff.id
    if (at !== null && isMoved) void move(appointment, at, staffId)
  }
  const open = appointments.find(({ id }) => id === openId)
  return (
    <>
      {moveError !== null && <Fault text={reasonOf(moveError)} />}
      {data.appointments.pageInfo.hasNextPage && (
        <p className="muted">{t('onlyFirst', { count: appointments.length })}</p>
      )}
      <Card>
        <DayColumns
          columns={columns}
          hours={hours}
          minutesAt={minutesAt}
          movesAcross={by === 'staff'}
          mayWrite={mayWrite}
          onOpen={({ id }) => setOpenId(id)}
          onMove={drop}
        />
      </Card>
      {open !== undefined && (
        <AppointmentDialog appointment={open} people={people} onClose={() => setOpenId(null)} />
      )}
    </>
  )
}

/** Those who work, and whoever else has an appointment that day. */
function columnsOf(
  appointments: readonly Appointment[],
  by: DayProps['by'],
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
