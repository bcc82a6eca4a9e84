import { type ReactNode, useState } from 'react'
import { useFormat } from '../format/format.ts'
import { dayIn, startOfDay } from '../format/shop-days.ts'
import type { Weekday } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Badge, Card } from '../ui/states.tsx'
import { type EditedEntry, ScheduleDialog } from './schedule-dialog.tsx'
import { entryDraftOf, exceptionsFrom, hoursOn, newEntry, type ScheduleEntry } from './schedule-entry.ts'
import { useWeekdays } from './use-weekdays.ts'

interface Props {
  readonly staffId: string
  readonly timeZone: string
  readonly schedule: readonly ScheduleEntry[]
}

/** When a person works: the hours of each week, and what differs from them on certain days. */
export function HoursCards({ staffId, timeZone, schedule }: Props): ReactNode {
  const t = useText()
  const [editing, setEditing] = useState<EditedEntry | null>(null)
  const edit = (entry: ScheduleEntry) => setEditing({ id: entry.id, draft: entryDraftOf(entry) })
  return (
    <>
      <Card title={t('weeklyHours')}>
        <p className="muted">{t('hoursZone', { zone: timeZone })}</p>
        <WeeklyHours
          schedule={schedule}
          onEdit={edit}
          onAdd={(weekday) => setEditing({ id: null, draft: newEntry('WEEKLY', weekday) })}
        />
      </Card>
      <Card title={t('exceptions')}>
        <Exceptions
          exceptions={exceptionsFrom(schedule, dayIn(timeZone))}
          onEdit={edit}
          onAdd={() => setEditing({ id: null, draft: newEntry('TIME_OFF') })}
        />
      </Card>
      {editing !== null && (
        <ScheduleDialog staffId={staffId} entry={editing} onClose={() => setEditing(null)} />
      )}
    </>
  )
}

interface WeeklyProps {
  readonly schedule: readonly ScheduleEntry[]
  readonly onEdit: (entry: ScheduleEntry) => void
  readonly onAdd: (weekday: Weekday) => void
}

function WeeklyHours({ schedule, onEdit, onAdd }: WeeklyProps): ReactNode {
  const t = useText()
  const weekdays = useWeekdays()
  const mayWrite = useMay('booking:write')
  return (
    <ul>
      {weekdays.map(({ id: weekday, name }) => {
        const entries = hoursOn(schedule, weekday)
        return (
          <li key={weekday} className="parcel between" aria-label={name}>
            <span className="strong">{name}</span>
            <span className="chips">
              {entries.length === 0 && <span className="muted">{t('freeDay')}</span>}
              {entries.map((entry) => (
                <Hours key={entry.id} entry={entry} name={name} onEdit={() => onEdit(entry)} />
              ))}
              {mayWrite && (
                <IconButton
                  icon="plus"
                  label={t('addHoursOn', { day: name })}
                  onPress={() => onAdd(weekday)}
                />
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

interface HoursProps {
  readonly entry: ScheduleEntry
  readonly name: string
  readonly onEdit: () => void
}

function Hours({ entry, name, onEdit }: HoursProps): ReactNode {
  const t = useText()
  const mayWrite = useMay('booking:write')
  const days = useDayInWords()
  const { startDate, endDate, startTime, endTime } = entry
  const hours = [
    `${startTime}–${endTime}`,
    startDate !== null && t('hoursFrom', { day: days(startDate) }),
    endDate !== null && t('hoursUntil', { day: days(endDate) }),
  ]
    .filter((part) => part !== false)
    .join(' ')
  if (!mayWrite) return <span>{hours}</span>
  return (
    <Button aria-label={`${name} ${hours}`} onPress={onEdit}>
      {hours}
    </Button>
  )
}

interface ExceptionsProps {
  readonly exceptions: readonly ScheduleEntry[]
  readonly onEdit: (entry: ScheduleEntry) => void
  readonly onAdd: () => void
}

function Exceptions({ exceptions, onEdit, onAdd }: ExceptionsProps): ReactNode {
  const t = useText()
  const mayWrite = useMay('booking:write')
  const days = useDayInWords()
  const daysOf = ({ startDate, endDate }: ScheduleEntry) =>
    [...new Set([startDate, endDate])].flatMap((day) => (day === null ? [] : [days(day)])).join(' – ')
  const hoursOf = ({ startTime, endTime }: ScheduleEntry) =>
    startTime === '00:00' && endTime === '24:00' ? t('wholeDay') : `${startTime}–${endTime}`
  return (
    <>
      {exceptions.length === 0 && <p className="muted">{t('noExceptions')}</p>}
      <ul>
        {exceptions.map((entry) => (
          <li key={entry.id} className="parcel between">
            <span>
              <span className="strong">{daysOf(entry)}</span> {hoursOf(entry)}
            </span>
            <span className="chips">
              <Badge tone={entry.type === 'TIME_OFF' ? 'calm' : 'info'}>
                {t(entry.type === 'TIME_OFF' ? 'timeOff' : 'extraHours')}
              </Badge>
              {mayWrite && (
                <Button
                  look="quiet"
                  aria-label={`${t('edit')}: ${daysOf(entry)}`}
                  onPress={() => onEdit(entry)}
                >
                  {t('edit')}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {mayWrite && (
        <div>
          <Button icon="plus" onPress={onAdd}>
            {t('addException')}
          </Button>
        </div>
      )}
    </>
  )
}

/** A day as the language writes it. */
function useDayInWords(): (day: string) => string {
  const { timeZone } = useShop()
  const { date } = useFormat()
  return (day) => date(startOfDay(day, timeZone).toISOString())
}
