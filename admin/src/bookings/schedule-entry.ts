import type {
  CreateScheduleInput,
  SchedulePartsFragment,
  ScheduleType,
  UpdateScheduleInput,
  Weekday,
} from '../generated/operations.ts'

export type ScheduleEntry = SchedulePartsFragment

export const weekdays = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const satisfies readonly Weekday[]

/** An entry as one types it. Days are empty where none is said. */
export interface EntryDraft {
  readonly type: ScheduleType
  readonly weekday: Weekday
  readonly startDate: string
  readonly endDate: string
  readonly wholeDay: boolean
  readonly startTime: string
  /** A field for times has no 24:00: midnight is 00:00. */
  readonly endTime: string
}

const dayStart = '00:00'
const dayEnd = '24:00'

export const newEntry = (type: ScheduleType, weekday: Weekday = 'MONDAY'): EntryDraft => ({
  type,
  weekday,
  startDate: '',
  endDate: '',
  wholeDay: type === 'TIME_OFF',
  startTime: '09:00',
  endTime: '17:00',
})

export function entryDraftOf(entry: ScheduleEntry): EntryDraft {
  const { type, weekday, startDate, endDate, startTime, endTime } = entry
  const wholeDay = startTime === dayStart && endTime === dayEnd
  return {
    type,
    weekday: weekday ?? 'MONDAY',
    startDate: startDate ?? '',
    endDate: endDate ?? '',
    wholeDay,
    startTime: wholeDay ? '09:00' : startTime,
    endTime: wholeDay ? '17:00' : endTime === dayEnd ? dayStart : endTime,
  }
}

/** The fields of the API as the draft has them. */
const fieldsOf = ({ type, weekday, startDate, endDate, wholeDay, startTime, endTime }: EntryDraft) => ({
  ...(type === 'WEEKLY' && { weekday }),
  startDate: startDate === '' ? null : startDate,
  endDate: endDate === '' ? null : endDate,
  startTime: wholeDay ? dayStart : startTime,
  endTime: wholeDay || endTime === dayStart ? dayEnd : endTime,
})

export const entryInput = (draft: EntryDraft, staffId: string): CreateScheduleInput => ({
  staffId,
  type: draft.type,
  ...fieldsOf(draft),
})

/** What differs from what was loaded: nothing else is sent, so nobody's change to another field is undone. */
export function entryChanges(draft: EntryDraft, loaded: EntryDraft): UpdateScheduleInput {
  const before = new Map<string, unknown>(Object.entries(fieldsOf(loaded)))
  return Object.fromEntries(
    Object.entries(fieldsOf(draft)).filter(([name, value]) => value !== before.get(name)),
  )
}

/** The hours of a day of the week, earliest first. */
export const hoursOn = (schedule: readonly ScheduleEntry[], weekday: Weekday): readonly ScheduleEntry[] =>
  schedule.filter((entry) => entry.weekday === weekday).sort((a, b) => a.startTime.localeCompare(b.startTime))

/** Time off and extra hours that aren't over, earliest first. */
export const exceptionsFrom = (schedule: readonly ScheduleEntry[], today: string): readonly ScheduleEntry[] =>
  schedule
    .filter(({ type, startDate, endDate }) => type !== 'WEEKLY' && (endDate ?? startDate ?? '') >= today)
    .sort((a, b) => (a.startDate ?? '').localeCompare(b.startDate ?? ''))
