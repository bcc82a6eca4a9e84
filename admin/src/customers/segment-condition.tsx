import { type ReactNode, useState } from 'react'
import { useApi } from '../api/api.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { instantOf, localMinute } from '../format/shop-times.ts'
import { SegmentTiersDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Checkbox, CheckboxGroup, NumberField, Select, TextField } from '../ui/fields.tsx'
import { type ConditionName, conditions, labelsOf } from './segment-conditions.ts'

interface Props {
  readonly name: ConditionName
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** The value of a condition, to type or to choose. */
export function SegmentCondition(props: Props): ReactNode {
  const { kind } = conditions[props.name]
  switch (kind) {
    case 'list':
      return <ListCondition {...props} />
    case 'yesNo':
      return <YesNoCondition {...props} />
    case 'time':
      return <TimeCondition {...props} />
    case 'tiers':
      return <TiersCondition {...props} />
    case 'number':
    case 'days':
    case 'money':
      return <NumberCondition {...props} kind={kind} />
    default:
      return kind satisfies never
  }
}

/** What is typed is kept as it is: a comma at the end isn't a label yet. */
function ListCondition({ name, value, onChange }: Props): ReactNode {
  const t = useText()
  const [typed, setTyped] = useState(() => (Array.isArray(value) ? value.join(', ') : ''))
  return (
    <TextField
      name={`filter.${name}`}
      label={t(conditions[name].name)}
      hint={t('withCommas')}
      value={typed}
      onChange={(text) => {
        setTyped(text)
        onChange(labelsOf(text))
      }}
      isRequired
    />
  )
}

function YesNoCondition({ name, value, onChange }: Props): ReactNode {
  const t = useText()
  return (
    <Select
      name={`filter.${name}`}
      label={t(conditions[name].name)}
      value={value === true ? 'yes' : 'no'}
      onChange={(next) => onChange(next === 'yes')}
      choices={[
        { id: 'yes', text: t('yes') },
        { id: 'no', text: t('no') },
      ]}
    />
  )
}

/** On the shop's clocks. A part of a time isn't one yet: the browser asks for the rest before the form is sent. */
function TimeCondition({ name, value, onChange }: Props): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const [typed, setTyped] = useState(() => (typeof value === 'string' ? localMinute(value, timeZone) : ''))
  return (
    <TextField
      name={`filter.${name}`}
      type="datetime-local"
      label={t(conditions[name].name)}
      hint={t('shopTime', { zone: timeZone })}
      value={typed}
      onChange={(text) => {
        setTyped(text)
        onChange(instantOf(text, timeZone))
      }}
      isRequired
    />
  )
}

function TiersCondition({ name, value, onChange }: Props): ReactNode {
  const t = useText()
  const { data } = useApi('customers', SegmentTiersDocument, {})
  const tiers = data?.loyaltyProgram.tiers ?? []
  return (
    <CheckboxGroup
      name={`filter.${name}`}
      label={t(conditions[name].name)}
      {...(data !== undefined && tiers.length === 0 && { hint: t('noTiers') })}
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={onChange}
    >
      {tiers.map((tier) => (
        <Checkbox key={tier.id} value={tier.id}>
          {tier.name}
        </Checkbox>
      ))}
    </CheckboxGroup>
  )
}

interface NumberProps extends Props {
  readonly kind: 'number' | 'days' | 'money'
}

function NumberCondition({ name, kind, value, onChange }: NumberProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const units = kind === 'money' ? unitsOf(currency) : 1
  return (
    <NumberField
      name={`filter.${name}`}
      label={t(conditions[name].name)}
      value={Number(value) / units}
      minValue={kind === 'days' ? 1 : 0}
      step={1 / units}
      {...(kind === 'money' && { formatOptions: moneyOptions(currency) })}
      onChange={(next) => onChange(Number.isNaN(next) ? 0 : Math.round(next * units))}
    />
  )
}
