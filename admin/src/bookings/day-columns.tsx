import { type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { type Appointment, appointmentStatuses, isOpen } from './appointment-names.ts'
import { clock, draggedTo, type GridHours, type Lane, lanesOf } from './day-grid.ts'

export interface Column {
  readonly id: string
  readonly name: string
  readonly appointments: readonly Appointment[]
}

interface Props {
  readonly columns: readonly Column[]
  readonly hours: GridHours
  /** Minutes after the shop's midnight. */
  readonly minutesAt: (iso: string) => number
  /** Whether an appointment dragged to another column gets another person. */
  readonly movesAcross: boolean
  readonly mayWrite: boolean
  readonly onOpen: (appointment: Appointment) => void
  readonly onMove: (appointment: Appointment, minutes: number, columnId: string) => void
}

/** Pixels of a minute. */
const scale = 1.1
/** Pixels before a press is a drag. */
const slack = 5

/** A day: a column for each person or resource. Appointments are dragged to other times, or opened, by keyboard as well, and moved there. */
export function DayColumns({
  columns,
  hours,
  minutesAt,
  movesAcross,
  mayWrite,
  onOpen,
  onMove,
}: Props): ReactNode {
  const t = useText()
  const height = (hours.last - hours.first) * scale
  const marks = Array.from(
    { length: (hours.last - hours.first) / 60 },
    (_, index) => hours.first + index * 60,
  )
  return (
    <div className="day scroll" role="region" aria-label={t('dayPlan')} tabIndex={0}>
      <div className="hours" aria-hidden="true" style={{ height }}>
        {marks.map((mark) => (
          <span key={mark} style={{ top: (mark - hours.first) * scale }}>
            {clock(mark)}
          </span>
        ))}
      </div>
      {columns.map((column) => {
        const spans = column.appointments.map(({ startTime, endTime }) => ({
          from: minutesAt(startTime),
          to: Math.max(minutesAt(endTime), minutesAt(startTime) + 10),
        }))
        const lanes = lanesOf(spans)
        return (
          <section key={column.id} className="day-column" aria-label={column.name}>
            <h2>{column.name}</h2>
            <ol style={{ height }} data-column={column.id}>
              {column.appointments.map((appointment, index) => (
                <Block
                  key={appointment.id}
                  appointment={appointment}
                  span={spans[index] ?? { from: 0, to: 0 }}
                  lane={lanes[index] ?? { lane: 0, lanes: 1 }}
                  hours={hours}
                  draggable={mayWrite && isOpen(appointment)}
                  onOpen={() => onOpen(appointment)}
                  onDrop={(minutes, columnId) =>
                    onMove(appointment, minutes, movesAcross ? columnId : column.id)
                  }
                />
              ))}
            </ol>
          </section>
        )
      })}
    </div>
  )
}

interface BlockProps {
  readonly appointment: Appointment
  readonly span: { readonly from: number; readonly to: number }
  readonly lane: Lane
  readonly hours: GridHours
  readonly draggable: boolean
  readonly onOpen: () => void
  readonly onDrop: (minutes: number, columnId: string) => void
}

interface Drag {
  readonly x: number
  readonly y: number
  readonly byX: number
  readonly byY: number
}

function Block({ appointment, span, lane, hours, draggable, onOpen, onDrop }: BlockProps): ReactNode {
  const t = useText()
  const { time } = useFormat()
  const [drag, setDrag] = useState<Drag | null>(null)
  const dragged = useRef(false)
  const { customer, service, startTime, endTime, status } = appointment
  const start = (event: PointerEvent) => {
    dragged.current = false
    if (!draggable || event.button !== 0 || event.pointerType === 'touch') return
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag({ x: event.clientX, y: event.clientY, byX: 0, byY: 0 })
  }
  const follow = (event: PointerEvent) => {
    if (drag === null) return
    const [byX, byY] = [event.clientX - drag.x, event.clientY - drag.y]
    if (Math.hypot(byX, byY) > slack) dragged.current = true
    setDrag({ ...drag, byX, byY })
  }
  const end = (event: PointerEvent) => {
    if (drag === null) return
    setDrag(null)
    if (!dragged.current) return
    const under = document.elementsFromPoint(event.clientX, event.clientY)
    const column = under
      .map((each) => each.closest<HTMLElement>('[data-column]'))
      .find((each) => each !== null)
    const minutes = draggedTo(span, drag.byY / scale, hours)
    const columnId = column?.dataset['column']
    if (columnId !== undefined) onDrop(minutes, columnId)
  }
  return (
    <li
      style={{
        top: (span.from - hours.first) * scale,
        height: (span.to - span.from) * scale,
        left: `${(100 * lane.lane) / lane.lanes}%`,
        width: `${100 / lane.lanes}%`,
        ...(drag !== null &&
          dragged.current && { transform: `translate(${drag.byX}px, ${drag.byY}px)`, zIndex: 2 }),
      }}
    >
      <button
        type="button"
        className={`appointment ${appointmentStatuses[status].tone}`}
        onPointerDown={start}
        onPointerMove={follow}
        onPointerUp={end}
        onPointerCancel={() => setDrag(null)}
        onClick={() => {
          // The end of a drag is no press; the next one is.
          if (!dragged.current) onOpen()
          dragged.current = false
        }}
      >
        <span className="strong">{customer.name}</span>
        <span className="small">
          {time(startTime)}–{time(endTime)} · {service.name}
        </span>
        <span className="hidden">{t(appointmentStatuses[status].name)}</span>
      </button>
    </li>
  )
}
