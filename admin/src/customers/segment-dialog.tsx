import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { dayIn, startOfDay } from '../format/shop-days.ts'
import {
  CreateSegmentDocument,
  type SegmentPartsFragment,
  UpdateSegmentDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { IconButton } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useSendChanged } from '../ui/use-send-changed.ts'
import { SegmentCondition } from './segment-condition.tsx'
import {
  type ConditionName,
  conditionNames,
  conditions,
  emptyOf,
  type Filter,
  filterOf,
  isCondition,
} from './segment-conditions.ts'
import { useSegmentCount } from './use-segment-count.ts'

interface Props {
  /** None: a new one. */
  readonly segment?: SegmentPartsFragment
  readonly onClose: () => void
}

/** Builds a segment of conditions, all of which its customers meet. */
export function SegmentDialog({ segment, onClose }: Props): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const today = startOfDay(dayIn(timeZone), timeZone).toISOString()
  const [name, setName] = useState(segment?.name ?? '')
  const [filter, setFilter] = useState<Filter>(() => filterOf(segment?.filter ?? null))
  const create = useChange(CreateSegmentDocument, ['customers'])
  const update = useChange(UpdateSegmentDocument, ['customers'])
  const found = useSegmentCount(filter)
  const shown = conditionNames.filter((each) => each in filter)
  const others = conditionNames.filter((each) => !(each in filter))
  const input = { name, filter: Object.keys(filter).length === 0 ? null : filter }
  const sendChanged = useSendChanged(input)
  const submit = async () => {
    const done =
      segment === undefined
        ? await create.run({ input })
        : await sendChanged((changed) => update.run({ id: segment.id, input: changed }))
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
      <p className="muted">{t(shown.length === 0 ? 'everyCustomer' : 'allConditions')}</p>
      {shown.map((each) => (
        <div key={each} className="price">
          <SegmentCondition
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
      <Select
        label={t('addCondition')}
        value=""
        onChange={(each) =>
          isCondition(each) && setFilter({ ...filter, [each]: emptyOf(conditions[each].kind, today) })
        }
        choices={[
          { id: '', text: t('chooseCondition') },
          ...others.map((each) => ({ id: each, text: t(conditions[each].name) })),
        ]}
      />
      <p role="status">
        {found === null && t('segmentUncounted')}
        {typeof found === 'number' && t('customersMeetNow', { count: found })}
      </p>
    </FormDialog>
  )
}
