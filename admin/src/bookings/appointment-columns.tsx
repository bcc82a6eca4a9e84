import { type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { type Appointment, appointmentStatuses, isOpen } from './appointment-names.ts'
import { clock, draggedTo, gapsBetween, type GridHours, type Lane, lanesOf, type Span } from './day-grid.ts'

export interface Column {
  readonly id: string
  readonly name: string
  /** Where the name leads, and what a screen reader calls that place. */
  readonly link?: { readonly href: string; readonly label: string }
  readonly isToday?: boolean
  /** When the person works, earliest first; left out where the API knows no hours. */
  readonly worked?: readonly Span[] | undefined
  readonly appointments: readonly Appointment[]
}

interface Props {
  readonly label: string
  readonly columns: readonly Column[]
  readonly hours: GridHours
  readonly spanOf: (appointment: Appointment) => Span
  /** Whether the columns don't say with whom an appointment is. */
  readonly namesStaff: boolean
  readonly mayWrite: boolean
  readonly onOpen: (appointment: Appointment) => void
  readonly onMove: (appointment: Appointment, minutes: number, columnId: string) => void
}

/** Pixels of a minute. */
const scale = 1.1
/** Rem that an appointment is wide enough to be read, where several stand side by side. */
const laneWidth = 6
/** Pixels before a press is a drag. */
const slack = 5

/**
 * Hours from above to below, in a column for each person, resource or day. Appointments are dragged to other times and columns, or opened,
 * by keyboard as well, and moved there.
 */
export function AppointmentColumns(props: Props): ReactNode {
  const t = useText()
  const { label, columns, hours } = props
  const height = heightOf(hours)
  const marks = Array.from(
    { length: (hours.last - hours.first) / 60 },
    (_, index) => hours.first + index * 60,
  )
  return (
    <>
      {columns.some(({ worked }) => worked !== undefined) && (
        <p className="small muted chips">
          <span className="off-hours sample" aria-hidden="true" />
          {t('offHours')}
        </p>
      )}
      <div className="day scroll" role="region" aria-label={label} tabIndex={0}>
        <div className="hours" aria-hidden="true" style={{ height }}>
          {marks.map((mark) => (
            <span key={mark} style={{ top: (mark - hours.first) * scale }}>
              {clock(mark)}
            </span>
          ))}
        </div>
        {columns.map((column) => (
          <DayColumn key={column.id} {...props} column={column} />
        ))}
      </div>
    </>
  )
}

const heightOf = ({ first, last }: GridHours): number => (last - first) * scale

interface DayColumnProps extends Omit<Props, 'label' | 'columns'> {
  readonly column: Column
}

function DayColumn({
  column,
  hours,
  spanOf,
  namesStaff,
  mayWrite,
  onOpen,
  onMove,
}: DayColumnProps): ReactNode {
  const spans = column.appointments.map(spanOf)
  const lanes = lanesOf(spans)
  const most = Math.max(1, ...lanes.map((each) => each.lanes))
  return (
    <section className="day-column" aria-label={column.name} style={{ minWidth: `${most * laneWidth}rem` }}>
      <h2 className={column.isToday === true ? 'today' : undefined}>
        <ColumnName column={column} />
      </h2>
      <div className="day-hours">
        {column.worked !== undefined && <OffHours worked={column.worked} hours={hours} />}
        <ol style={{ height: heightOf(hours) }} data-column={column.id}>
          {column.appointments.map((appointment, index) => (
            <Block
              key={appointment.id}
              appointment={appointment}
              span={spans[index] ?? { from: 0, to: 0 }}
              lane={lanes[index] ?? { lane: 0, lanes: 1 }}
              hours={hours}
              namesStaff={namesStaff}
              draggable={mayWrite && isOpen(appointment)}
              onOpen={() => onOpen(appointment)}
              onDrop={(minutes, columnId) => onMove(appointment, minutes, columnId)}
            />
          ))}
        </ol>
      </div>
    </section>
  )
}

interface OffHoursProps {
  readonly worked: readonly Span[]
  readonly hours: GridHours
}

/** The shading of the times in which a person doesn't work. A screen reader hears when the person works. */
function OffHours({ worked, hours }: OffHoursProps): ReactNode {
  const t = useText()
  const inWords = worked.map(({ from, to }) => `${clock(from)}–${clock(to)}`).join(', ')
  return (
    <>
      <p className="hidden">{inWords === '' ? t('worksNot') : t('worksAt', { hours: inWords })}</p>
      {gapsBetween(worked, hours).map(({ from, to }) => (
        <div
          key={from}
          className="off-hours"
          aria-hidden="true"
          style={{ top: (from - hours.first) * scale, height: (to - from) * scale }}
        />
      ))}
    </>
  )
}

function ColumnName({ column: { name, link, isToday = false } }: { readonly column: Column }): ReactNode {
  if (link === undefined) return name
  return (
    <Link href={link.href} aria-label={link.label} aria-current={isToday ? 'date' : undefined}>
      {name}
    </Link>
  )
}

interface BlockProps {
  readonly appointment: Appointment
  readonly span: Span
  readonly lane: Lane
  readonly hours: GridHours
  readonly namesStaff: boolean
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

function Block({
  appointment,
  span,
  lane,
  hours,
  namesStaff,
  draggable,
  onOpen,
  onDrop,
}: BlockProps): ReactNode {
  const t = useText()
  const { times } = useFormat()
  const [drag, setDrag] = useState<Drag | null>(null)
  const dragged = useRef(false)
  const { customer, service, staff, startTime, endTime, status } = appointment
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
    // The column that is there. The one that the block is of is around the block, wherever the block is.
    const column = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((each): each is HTMLElement => each instanceof HTMLElement && each.matches('[data-column]'))
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
          {times(startTime, endTime)} · {service.name}
          {namesStaff && ` · ${staff.name}`}
        </span>
        <span className="hidden">{t(appointmentStatuses[status].name)}</span>
      </button>
    </li>
  )
}
