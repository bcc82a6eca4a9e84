import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import {
  CreateBookingServiceDocument,
  ResourceKindsDocument,
  UpdateBookingServiceDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { DraftForm } from '../ui/draft-form.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import {
  type Beforehand,
  type LoadedService,
  newService,
  serviceChanges,
  type ServiceDraft,
  serviceDraftOf,
  serviceInput,
} from './service-draft.ts'

const fields = [
  'name',
  'description',
  'duration',
  'price',
  'paymentPolicy',
  'depositAmount',
  'depositPercent',
  'noShowFee',
  'cancellationMinutes',
] as const

/** What a service is, costs and needs. @param service null: a new one */
export function ServiceForm({ service }: { readonly service: LoadedService | null }): ReactNode {
  const t = useText()
  const shop = useShop()
  const [, go] = useLocation()
  const mayWrite = useMay('booking:write')
  const currency = service?.currency ?? shop.currency
  const units = unitsOf(currency)
  const form = useDraft(service === null ? newService : serviceDraftOf(service, units))
  const { draft, set, changed } = form
  const creation = useChange(CreateBookingServiceDocument, ['bookings'])
  const change = useChange(UpdateBookingServiceDocument, ['bookings'])
  const { error, pending } = service === null ? creation : change
  const submit = async () => {
    if (service !== null) {
      const input = serviceChanges(changed, draft, units)
      if ((await change.run({ id: service.id, input })) !== null) tell(t('saved'))
      return
    }
    const input = serviceInput(draft, currency, units)
    const id = (await creation.run({ input }))?.createBookingService?.bookingService?.id
    if (id === undefined) return
    tell(t('saved'))
    go(`/bookings/services/${id}`, { replace: true })
  }
  const parts = { draft, currency, readOnly: !mayWrite, onChange: set }
  return (
    <Card title={t('service')}>
      <DraftForm
        draft={form}
        fields={fields}
        error={error}
        pending={pending}
        mayWrite={mayWrite}
        onSubmit={() => void submit()}
      >
        <MainFields {...parts} />
        <PaymentFields {...parts} />
        <NeededResources {...parts} />
      </DraftForm>
    </Card>
  )
}

interface Props {
  readonly draft: ServiceDraft
  readonly currency: string
  readonly readOnly: boolean
  readonly onChange: (part: Partial<ServiceDraft>) => void
}

function MainFields({ draft, currency, readOnly, onChange }: Props): ReactNode {
  const t = useText()
  return (
    <>
      <TextField
        name="name"
        label={t('name')}
        value={draft.name}
        onChange={(name) => onChange({ name })}
        isRequired
        isReadOnly={readOnly}
      />
      <TextField
        name="description"
        label={t('description')}
        value={draft.description}
        onChange={(description) => onChange({ description })}
        multiline
        isReadOnly={readOnly}
      />
      <div className="columns">
        <NumberField
          name="duration"
          label={t('durationMinutes')}
          value={draft.duration}
          onChange={(duration) => onChange({ duration })}
          minValue={1}
          maxValue={1_440}
          isRequired
          isReadOnly={readOnly}
        />
        <NumberField
          name="price"
          label={t('price')}
          value={draft.price}
          onChange={(price) => onChange({ price })}
          minValue={0}
          formatOptions={moneyOptions(currency)}
          isRequired
          isReadOnly={readOnly}
        />
      </div>
    </>
  )
}

const beforehandNames = {
  nothing: 'payNothing',
  depositAmount: 'payDepositAmount',
  depositPercent: 'payDepositPercent',
  all: 'payAll',
} as const satisfies Record<Beforehand, string>

function PaymentFields({ draft, currency, readOnly, onChange }: Props): ReactNode {
  const t = useText()
  const choices = (['nothing', 'depositAmount', 'depositPercent', 'all'] as const).map((id) => ({
    id,
    text: t(beforehandNames[id]),
  }))
  const money = moneyOptions(currency)
  return (
    <div className="columns">
      <Select
        name="paymentPolicy"
        label={t('beforehand')}
        value={draft.beforehand}
        onChange={(next) =>
          onChange({ beforehand: choices.find(({ id }) => id === next)?.id ?? draft.beforehand })
        }
        choices={choices}
      />
      {draft.beforehand === 'depositAmount' && (
        <NumberField
          name="depositAmount"
          label={t('depositAmount')}
          value={draft.depositAmount}
          onChange={(depositAmount) => onChange({ depositAmount })}
          minValue={0}
          formatOptions={money}
          isRequired
          isReadOnly={readOnly}
        />
      )}
      {draft.beforehand === 'depositPercent' && (
        <NumberField
          name="depositPercent"
          label={t('depositPercent')}
          value={draft.depositPercent}
          onChange={(depositPercent) => onChange({ depositPercent })}
          minValue={1}
          maxValue={100}
          isRequired
          isReadOnly={readOnly}
        />
      )}
      <NumberField
        name="noShowFee"
        label={t('noShowFee')}
        hint={t('noShowFeeHint')}
        value={draft.noShowFee}
        onChange={(noShowFee) => onChange({ noShowFee })}
        minValue={0}
        formatOptions={money}
        isReadOnly={readOnly}
      />
      <NumberField
        name="cancellationMinutes"
        label={t('cancellationMinutes')}
        hint={t('cancellationHint')}
        value={draft.cancellationMinutes}
        onChange={(cancellationMinutes) => onChange({ cancellationMinutes })}
        minValue={0}
        isRequired
        isReadOnly={readOnly}
      />
    </div>
  )
}

/** A field for each kind of resource that the shop has, or that the service needs already. Kinds are the same in any case. */
function NeededResources({ draft, readOnly, onChange }: Props): ReactNode {
  const t = useText()
  const { data } = useApi('bookings', ResourceKindsDocument, {})
  const named = [...Object.keys(draft.resources), ...(data?.resources.nodes ?? []).map(({ kind }) => kind)]
  const kinds = [...new Map(named.toReversed().map((kind) => [kind.toLowerCase(), kind])).values()].sort()
  if (kinds.length === 0) return null
  return (
    <div className="field" role="group" aria-label={t('neededResources')}>
      <span className="label">{t('neededResources')}</span>
      <div className="columns">
        {kinds.map((kind) => (
          <NumberField
            key={kind}
            label={kind}
            value={draft.resources[kind] ?? 0}
            onChange={(quantity) => onChange({ resources: { ...draft.resources, [kind]: quantity } })}
            minValue={0}
            maxValue={20}
            isReadOnly={readOnly}
          />
        ))}
      </div>
    </div>
  )
}
