import { type ReactNode, useState } from 'react'
import { reasonOf } from '../api/field-errors.ts'
import { instantOf, timeOfDay } from '../format/shop-times.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Fault } from '../ui/dialog.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import type { Pages } from '../ui/use-pages.ts'
import { type Column, AppointmentColumns } from './appointment-columns.tsx'
import { AppointmentDialog } from './appointment-dialog.tsx'
import type { Appointment } from './appointment-names.ts'
import { clock, hoursOf, spanOfDay } from './day-grid.ts'
import type { BookingPeople } from './use-booking-people.ts'
import { useMove } from './use-move.ts'

/** The day and the person that a column stands for. */
export interface Place {
  readonly day: string
  readonly staffId: string
}

interface Props {
  readonly label: string
  readonly pages: Pages<Appointment>
  readonly columns: readonly Column[]
  /** Where an appointment goes that is dropped in a column. */
  readonly placeOf: (appointment: Appointment, columnId: string) => Place
  readonly namesStaff?: boolean
  readonly people: BookingPeople
}

/** Appointments in columns, which are moved by dragging them, and opened by a click. */
export function AppointmentPlan({
  label,
  pages,
  columns,
  placeOf,
  namesStaff = false,
  people,
}: Props): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const mayWrite = useMay('booking:write')
  const [openId, setOpenId] = useState<string | null>(null)
  const { move, error: moveError, forget } = useMove()
  const { rows, totalCount, pending, error, retry } = pages
  if (error !== null) return <Failed error={error} retry={retry} />
  if (pending) return <Loading lines={8} />
  const spanOf = ({ startTime, duration }: Appointment) => spanOfDay(timeOfDay(startTime, timeZone), duration)
  const drop = (appointment: Appointment, minutes: number, columnId: string) => {
    const { day, staffId } = placeOf(appointment, columnId)
    const at = instantOf(`${day}T${clock(minutes)}`, timeZone)
    if (at === null) return
    const isMoved = Date.parse(at) !== Date.parse(appointment.startTime) || staffId !== appointment.staff.id
    if (isMoved) void move(appointment, at, staffId)
  }
  const open = rows.find(({ id }) => id === openId)
  return (
    <>
      {moveError !== null && <Fault text={reasonOf(moveError)} />}
      {rows.length < totalCount && <p className="muted">{t('onlyFirst', { count: rows.length })}</p>}
      <Card>
        <AppointmentColumns
          label={label}
          columns={columns}
          hours={hoursOf([...rows.map(spanOf), ...columns.flatMap(({ worked = [] }) => worked)])}
          spanOf={spanOf}
          namesStaff={namesStaff}
          mayWrite={mayWrite}
          onOpen={({ id }) => {
            forget()
            setOpenId(id)
          }}
          onMove={drop}
        />
      </Card>
      {open !== undefined && (
        <AppointmentDialog appointment={open} people={people} onClose={() => setOpenId(null)} />
      )}
    </>
  )
}
