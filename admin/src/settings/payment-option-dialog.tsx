import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import {
  CreatePaymentOptionDocument,
  type PaymentMethod,
  UpdatePaymentOptionDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { paymentMethods } from '../orders/order-names.ts'
import { useShop } from '../shell/shop.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, NumberField, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import {
  currencyOfDraft,
  draftOf,
  mixesCurrencies,
  newOption,
  optionChanges,
  optionInput,
  type PaymentOption,
  type PaymentOptionDraft,
  waits,
} from './payment-option-draft.ts'

const fields = [
  'method',
  'name',
  'instructions',
  'currencies',
  'countries',
  'minAmount',
  'maxAmount',
  'paymentMinutes',
] as const

interface NewProps {
  /** Those that have no option yet. */
  readonly methods: readonly PaymentMethod[]
  readonly options: readonly PaymentOption[]
  readonly onClose: () => void
}

/** Offers a method. Its name is the method's until another one is typed. */
export function NewOptionDialog({ methods, options, onClose }: NewProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const nameOf = (method: PaymentMethod) => t(paymentMethods[method])
  const [draft, setDraft] = useState(() => {
    const [first = 'CARD'] = methods
    return newOption(first, nameOf(first))
  })
  const { run, error, pending } = useChange(CreatePaymentOptionDocument, ['settings'])
  const choose = (next: string) => {
    const method = methods.find((each) => each === next) ?? draft.method
    const isTyped = draft.name !== nameOf(draft.method)
    setDraft({ ...draft, method, name: isTyped ? draft.name : nameOf(method) })
  }
  const submit = async () => {
    if ((await run({ input: optionInput(draft, options, { currency, unitsOf }) })) === null) return
    tell(t('wayToPayAdded', { name: draft.name }))
    onClose()
  }
  return (
    <FormDialog
      title={t('newWayToPay')}
      fields={fields}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Select
        name="method"
        label={t('wayToPay')}
        value={draft.method}
        onChange={choose}
        choices={methods.map((id) => ({ id, text: nameOf(id) }))}
      />
      <OptionFields draft={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
    </FormDialog>
  )
}

interface ChangeProps {
  readonly option: PaymentOption
  readonly onClose: () => void
}

export function ChangeOptionDialog({ option, onClose }: ChangeProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const shop = { currency, unitsOf }
  const [loaded] = useState(() => draftOf(option, shop))
  const [draft, setDraft] = useState(loaded)
  const { run, error, pending } = useChange(UpdatePaymentOptionDocument, ['settings'])
  const submit = async () => {
    const input = optionChanges(draft, loaded, shop)
    if (Object.keys(input).length > 0) {
      if ((await run({ id: option.id, input })) === null) return
      tell(t('saved'))
    }
    onClose()
  }
  return (
    <FormDialog
      title={t('editNamed', { name: option.name })}
      fields={fields}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <OptionFields draft={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
    </FormDialog>
  )
}

interface FieldsProps {
  readonly draft: PaymentOptionDraft
  readonly onChange: (part: Partial<PaymentOptionDraft>) => void
}

function OptionFields({ draft, onChange }: FieldsProps): ReactNode {
  const t = useText()
  return (
    <>
      <TextField
        name="name"
        label={t('name')}
        hint={t('wayToPayNameHint')}
        value={draft.name}
        onChange={(name) => onChange({ name })}
        isRequired
      />
      <TextField
        name="instructions"
        label={t('payInstructions')}
        hint={t('payInstructionsHint')}
        value={draft.instructions}
        onChange={(instructions) => onChange({ instructions })}
        multiline
      />
      <div className="columns">
        <TextField
          name="currencies"
          label={t('currencies')}
          hint={t('currenciesHint')}
          value={draft.currencies}
          onChange={(currencies) => onChange({ currencies })}
        />
        <TextField
          name="countries"
          label={t('countries')}
          hint={t('payCountriesHint')}
          value={draft.countries}
          onChange={(countries) => onChange({ countries })}
        />
      </div>
      <TotalFields draft={draft} onChange={onChange} />
      {mixesCurrencies(draft) && <p className="small muted">{t('totalsHint')}</p>}
      <Checkbox isSelected={draft.enabled} onChange={(enabled) => onChange({ enabled })}>
        {t('methodOffered')}
      </Checkbox>
    </>
  )
}

function TotalFields({ draft, onChange }: FieldsProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const formatOptions = moneyOptions(currencyOfDraft(draft, { currency, unitsOf }))
  return (
    <div className="columns">
      <NumberField
        name="minAmount"
        label={t('smallestTotal')}
        value={draft.minAmount}
        onChange={(minAmount) => onChange({ minAmount })}
        minValue={0}
        formatOptions={formatOptions}
      />
      <NumberField
        name="maxAmount"
        label={t('largestTotal')}
        value={draft.maxAmount}
        onChange={(maxAmount) => onChange({ maxAmount })}
        minValue={0}
        formatOptions={formatOptions}
      />
      {waits(draft.method) && (
        <NumberField
          name="paymentMinutes"
          label={t('minutesToWait')}
          hint={t('minutesToWaitHint')}
          value={draft.paymentMinutes}
          onChange={(paymentMinutes) => onChange({ paymentMinutes })}
          minValue={1}
        />
      )}
    </div>
  )
}
