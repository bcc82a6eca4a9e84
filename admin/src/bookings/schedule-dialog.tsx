import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import {
  CreateScheduleDocument,
  DeleteScheduleDocument,
  type ScheduleType,
  UpdateScheduleDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { type EntryDraft, entryChanges, entryInput } from './schedule-entry.ts'
import { useWeekdays } from './use-weekdays.ts'

/** An entry of a schedule to change, or a new one. */
export interface EditedEntry {
  /** Null: a new one. */
  readonly id: string | null
  readonly draft: EntryDraft
}

interface Props {
  readonly staffId: string
  readonly entry: EditedEntry
  readonly onClose: () => void
}

const fields = ['weekday', 'startDate', 'endDate', 'startTime', 'endTime'] as const

/** Hours of a person: weekly ones, time off, or extra ones. */
export function ScheduleDialog({ staffId, entry: { id, draft: loaded }, onClose }: Props): ReactNode {
  const t = useText()
  const [draft, setDraft] = useState(loaded)
  const creation = useChange(CreateScheduleDocument, ['bookings'])
  const change = useChange(UpdateScheduleDocument, ['bookings'])
  const removal = useChange(DeleteScheduleDocument, ['bookings'])
  const all = [creation, change, removal]
  const pending = all.some((each) => each.pending)
  const close = (done: object | null, text: string) => {
    if (done === null) return
    tell(text)
    onClose()
  }
  const submit = async () => {
    removal.forget()
    const done =
      id === null
        ? await creation.run({ input: entryInput(draft, staffId) })
        : await change.run({ id, input: entryChanges(draft, loaded) })
    close(done, t('saved'))
  }
  const remove = async (known: string) => {
    change.forget()
    close(await removal.run({ id: known }), t('hoursRemoved'))
  }
  return (
    <FormDialog
      title={t(id === null ? 'newHours' : 'changeHours')}
      narrow
      fields={fields}
      error={all.find(({ error }) => error !== null)?.error ?? null}
      submit={t('save')}
      pending={pending}
      aside={
        id !== null && (
          <Button look="quiet" isDisabled={pending} onPress={() => void remove(id)}>
            {t('remove')}
          </Button>
        )
      }
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <EntryFields draft={draft} isNew={id === null} onChange={(part) => setDraft({ ...draft, ...part })} />
    </FormDialog>
  )
}

interface FieldsProps {
  readonly draft: EntryDraft
  readonly isNew: boolean
  readonly onChange: (part: Partial<EntryDraft>) => void
}

function EntryFields({ draft, isNew, onChange }: FieldsProps): ReactNode {
  const t = useText()
  const weekdays = useWeekdays()
  const isWeekly = draft.type === 'WEEKLY'
  const kinds = [
    { id: 'TIME_OFF', text: t('timeOff') },
    { id: 'EXTRA_HOURS', text: t('extraHours') },
  ] as const satisfies readonly { id: ScheduleType; text: string }[]
  return (
    <>
      {isWeekly && (
        <Select
          name="weekday"
          label={t('scheduleWeekday')}
          value={draft.weekday}
          onChange={(next) =>
            onChange({ weekday: weekdays.find(({ id }) => id === next)?.id ?? draft.weekday })
          }
          choices={weekdays.map(({ id, name }) => ({ id, text: name }))}
        />
      )}
      {!isWeekly && isNew && (
        <Select
          label={t('kind')}
          value={draft.type}
          onChange={(next) => {
            const type = kinds.find(({ id }) => id === next)?.id ?? 'TIME_OFF'
            onChange({ type, wholeDay: type === 'TIME_OFF' })
          }}
          choices={kinds}
        />
      )}
      <div className="columns">
        <TextField
          name="startDate"
          type="date"
          label={t('firstDay')}
          hint={isWeekly ? t('alwaysHint') : undefined}
          value={draft.startDate}
          onChange={(startDate) => onChange({ startDate })}
        />
        <TextField
          name="endDate"
          type="date"
          label={t('lastDay')}
          hint={t(isWeekly ? 'alwaysHint' : 'oneDayHint')}
          value={draft.endDate}
          onChange={(endDate) => onChange({ endDate })}
        />
      </div>
      <Checkbox isSelected={draft.wholeDay} onChange={(wholeDay) => onChange({ wholeDay })}>
        {t('wholeDay')}
      </Checkbox>
      {!draft.wholeDay && (
        <div className="columns">
          <TextField
            name="startTime"
            type="time"
            label={t('begins')}
            value={draft.startTime}
            onChange={(startTime) => onChange({ startTime })}
            isRequired
          />
          <TextField
            name="endTime"
            type="time"
            label={t('ends')}
            hint={t('midnightHint')}
            value={draft.endTime}
            onChange={(endTime) => onChange({ endTime })}
            isRequired
          />
        </div>
      )}
    </>
  )
}
