import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import {
  CreateStaffMemberDocument,
  ServicesToOfferDocument,
  type StaffMemberDetailQuery,
  UpdateStaffMemberDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { DraftForm } from '../ui/draft-form.tsx'
import { Checkbox, CheckboxGroup, NumberField, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'

export type LoadedStaffMember = NonNullable<StaffMemberDetailQuery['staffMember']>

interface StaffDraft {
  readonly name: string
  readonly email: string
  readonly phone: string
  /** Empty: the shop's. */
  readonly timeZone: string
  readonly priority: number
  readonly serviceIds: readonly string[]
}

const newMember: StaffDraft = { name: '', email: '', phone: '', timeZone: '', priority: 0, serviceIds: [] }

const draftOf = ({ name, email, phone, timeZone, priority, services }: LoadedStaffMember): StaffDraft => ({
  name,
  email,
  phone: phone ?? '',
  timeZone: timeZone ?? '',
  priority,
  serviceIds: services.map(({ id }) => id),
})

/** What is sent of the fields that were changed. */
const inputOf = <Changed extends Partial<StaffDraft>>({ phone, timeZone, ...others }: Changed) => ({
  ...others,
  ...(phone !== undefined && { phone: phone === '' ? null : phone }),
  ...(timeZone !== undefined && { timeZone: timeZone === '' ? null : timeZone }),
})

const fields = ['name', 'email', 'phone', 'timeZone', 'priority', 'serviceIds'] as const

/** Who somebody is, and what that person offers. @param member null: a new one */
export function StaffMemberForm({ member }: { readonly member: LoadedStaffMember | null }): ReactNode {
  const t = useText()
  const [, go] = useLocation()
  const mayWrite = useMay('booking:write')
  const form = useDraft(member === null ? newMember : draftOf(member))
  const { draft, set, changed } = form
  const creation = useChange(CreateStaffMemberDocument, ['bookings'])
  const change = useChange(UpdateStaffMemberDocument, ['bookings'])
  const { error, pending } = member === null ? creation : change
  const submit = async () => {
    if (member !== null) {
      if ((await change.run({ id: member.id, input: inputOf(changed) })) !== null) tell(t('saved'))
      return
    }
    const id = (await creation.run({ input: inputOf(draft) }))?.createStaffMember?.staffMember?.id
    if (id === undefined) return
    tell(t('saved'))
    go(`/bookings/staff/${id}`, { replace: true })
  }
  return (
    <DraftForm
      draft={form}
      fields={fields}
      error={error}
      pending={pending}
      mayWrite={mayWrite}
      onSubmit={() => void submit()}
    >
      <PersonFields draft={draft} readOnly={!mayWrite} onChange={set} />
      <OfferedServices
        ids={draft.serviceIds}
        offered={member?.services ?? []}
        readOnly={!mayWrite}
        onChange={(serviceIds) => set({ serviceIds })}
      />
    </DraftForm>
  )
}

interface PersonProps {
  readonly draft: StaffDraft
  readonly readOnly: boolean
  readonly onChange: (part: Partial<StaffDraft>) => void
}

function PersonFields({ draft, readOnly, onChange }: PersonProps): ReactNode {
  const t = useText()
  const { timeZone: shopZone } = useShop()
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), draft.timeZone].filter((zone) => zone !== ''))
  const shops = 'shop'
  return (
    <div className="columns">
      <TextField
        name="name"
        label={t('name')}
        value={draft.name}
        onChange={(name) => onChange({ name })}
        isRequired
        isReadOnly={readOnly}
      />
      <TextField
        name="email"
        type="email"
        label={t('email')}
        value={draft.email}
        onChange={(email) => onChange({ email })}
        isRequired
        isReadOnly={readOnly}
      />
      <TextField
        name="phone"
        type="tel"
        label={t('phone')}
        value={draft.phone}
        onChange={(phone) => onChange({ phone })}
        isReadOnly={readOnly}
      />
      <NumberField
        name="priority"
        label={t('bookingPriority')}
        hint={t('staffPriorityHint')}
        value={draft.priority}
        onChange={(priority) => onChange({ priority })}
        minValue={0}
        isRequired
        isReadOnly={readOnly}
      />
      <Select
        name="timeZone"
        label={t('ownTimeZone')}
        value={draft.timeZone === '' ? shops : draft.timeZone}
        onChange={(zone) => onChange({ timeZone: zone === shops ? '' : zone })}
        choices={[
          { id: shops, text: t('shopTimeZone', { zone: shopZone }) },
          ...[...zones].map((zone) => ({ id: zone, text: zone })),
        ]}
      />
    </div>
  )
}

interface OfferedProps {
  readonly ids: readonly string[]
  /** What was offered when the person was loaded, archived services too. */
  readonly offered: readonly { readonly id: string; readonly name: string }[]
  readonly readOnly: boolean
  readonly onChange: (ids: readonly string[]) => void
}

function OfferedServices({ ids, offered, readOnly, onChange }: OfferedProps): ReactNode {
  const t = useText()
  const { data } = useApi('bookings', ServicesToOfferDocument, {})
  const others = (data?.bookingServices.nodes ?? []).filter(
    ({ id, active }) => active && offered.every((each) => each.id !== id),
  )
  const choices = [...offered, ...others].sort((a, b) => a.name.localeCompare(b.name))
  return (
    <CheckboxGroup
      name="serviceIds"
      label={t('offeredServices')}
      value={[...ids]}
      onChange={(next) => onChange(choices.map(({ id }) => id).filter((id) => next.includes(id)))}
      isReadOnly={readOnly}
      {...(data !== undefined && choices.length === 0 && { hint: t('noServices') })}
    >
      {choices.map(({ id, name }) => (
        <Checkbox key={id} value={id}>
          {name}
        </Checkbox>
      ))}
    </CheckboxGroup>
  )
}
