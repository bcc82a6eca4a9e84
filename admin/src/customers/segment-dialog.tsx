import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { unitsOf } from '../format/format.ts'
import {
  CreateSegmentDocument,
  type SegmentPartsFragment,
  UpdateSegmentDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { IconButton } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import {
  type ConditionName,
  conditionNames,
  conditions,
  emptyOf,
  type Filter,
  filterOf,
  isCondition,
  labelsOf,
} from './segment-conditions.ts'

interface Props {
  /** None: a new one. */
  readonly segment?: SegmentPartsFragment
  readonly onClose: () => void
}

/** Builds a segment of conditions, all of which its customers meet. */
export function SegmentDialog({ segment, onClose }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState(segment?.name ?? '')
  const [filter, setFilter] = useState<Filter>(() => filterOf(segment?.filter ?? null))
  const create = useChange(CreateSegmentDocument, ['customers'])
  const update = useChange(UpdateSegmentDocument, ['customers'])
  const shown = conditionNames.filter((each) => each in filter)
  const others = conditionNames.filter((each) => !(each in filter))
  const kept = Object.keys(filter).length - shown.length
  const submit = async () => {
    const input = { name, filter: Object.keys(filter).length === 0 ? null : filter }
    const done =
      segment === undefined ? await create.run({ input }) : await update.run({ id: segment.id, input })
    if (done === null) return
    tell(t('saved'))
    onClose()
  }
  const without = (dropped: ConditionName) =>
    Object.fromEntries(Object.entries(filter).filter(([each]) => each !== dropped))
  return (
    <FormDialog
      title={segment === undefined ? t('addSegment') : t('segmentTitle', { name: segment.name })}
      fields={['name', ...shown.map((each) => `filter.${each}`)]}
      error={create.error ?? update.error}
      submit={t('save')}
      pending={create.pending || update.pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <p className="muted">{t(shown.length + kept === 0 ? 'everyCustomer' : 'allConditions')}</p>
      {shown.map((each) => (
        <div key={each} className="price">
          <Condition
            name={each}
            value={filter[each]}
            onChange={(value) => setFilter({ ...filter, [each]: value })}
          />
          <IconButton
            icon="x"
            label={t('dropCondition', { name: t(conditions[each].name) })}
            onPress={() => setFilter(without(each))}
          />
        </div>
      ))}
      {kept > 0 && <p className="small muted">{t('otherConditions', { count: kept })}</p>}
      <Select
        label={t('addCondition')}
        value=""
        onChange={(each) =>
          isCondition(each) && setFilter({ ...filter, [each]: emptyOf(conditions[each].kind) })
        }
        choices={[
          { id: '', text: t('chooseCondition') },
          ...others.map((each) => ({ id: each, text: t(conditions[each].name) })),
        ]}
      />
    </FormDialog>
  )
}

interface ConditionProps {
  readonly name: ConditionName
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function Condition({ name, value, onChange }: ConditionProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const { kind, name: label } = conditions[name]
  // What is typed is kept as it is: a comma at the end isn't a label yet.
  const [typed, setTyped] = useState(() => (Array.isArray(value) ? value.join(', ') : ''))
  if (kind === 'list')
    return (
      <TextField
        name={`filter.${name}`}
        label={t(label)}
        hint={t('withCommas')}
        value={typed}
        onChange={(text) => {
          setTyped(text)
          onChange(labelsOf(text))
        }}
        isRequired
      />
    )
  if (kind === 'yesNo')
    return (
      <Select
        name={`filter.${name}`}
        label={t(label)}
        value={value === true ? 'yes' : 'no'}
        onChange={(next) => onChange(next === 'yes')}
        choices={[
          { id: 'yes', text: t('yes') },
          { id: 'no', text: t('no') },
        ]}
      />
    )
  const units = kind === 'money' ? unitsOf(currency) : 1
  return (
    <NumberField
      name={`filter.${name}`}
      label={t(label)}
      value={Number(value) / units}
      minValue={kind === 'days' ? 1 : 0}
      step={1 / units}
      {...(kind === 'money' && { formatOptions: { style: 'currency', currency } as const })}
      onChange={(next) => onChange(Number.isNaN(next) ? 0 : Math.round(next * units))}
    />
  )
}
