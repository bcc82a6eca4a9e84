import type { ReactNode } from 'react'
import { useChange } from '../api/api.ts'
import { UpdateCustomerDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { DraftForm } from '../ui/draft-form.tsx'
import { Checkbox, TextField } from '../ui/fields.tsx'
import { Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import type { Customer } from './customer-page.tsx'
import { labelsOf } from './segment-conditions.ts'

/** What the shop notes down about a customer. */
export function CustomerForm({ customer }: { readonly customer: Customer }): ReactNode {
  const t = useText()
  const mayWrite = useMay('customers:write')
  const { name, phone, notes, tags, marketingOptIn } = customer
  const state = useDraft({
    name,
    phone: phone ?? '',
    tags: tags.join(', '),
    notes: notes ?? '',
    marketingOptIn,
  })
  const { draft, set, changed } = state
  const { run, error, pending } = useChange(UpdateCustomerDocument, ['customers'])
  const submit = async () => {
    const input = {
      ...(changed.name !== undefined && { name: changed.name }),
      // What is left empty is taken away.
      ...(changed.phone !== undefined && { phone: changed.phone || null }),
      ...(changed.notes !== undefined && { notes: changed.notes || null }),
      ...(changed.tags !== undefined && { tags: labelsOf(changed.tags) }),
      ...(changed.marketingOptIn !== undefined && { marketingOptIn: changed.marketingOptIn }),
    }
    if ((await run({ id: customer.id, input })) !== null) tell(t('saved'))
  }
  const text = (field: 'name' | 'phone' | 'tags' | 'notes') => ({
    name: field,
    value: draft[field],
    onChange: (value: string) => set({ [field]: value }),
    isReadOnly: !mayWrite,
  })
  return (
    <Card title={t('details')}>
      <DraftForm
        draft={state}
        fields={Object.keys(draft)}
        error={error}
        pending={pending}
        mayWrite={mayWrite}
        onSubmit={() => void submit()}
      >
        <TextField {...text('name')} label={t('name')} isRequired />
        <TextField {...text('phone')} label={t('customerPhone')} />
        <TextField {...text('tags')} label={t('customerTags')} hint={t('withCommas')} />
        <TextField {...text('notes')} label={t('customerNotes')} hint={t('customerNotesHint')} multiline />
        <Checkbox
          isSelected={draft.marketingOptIn}
          onChange={(on) => set({ marketingOptIn: on })}
          isDisabled={!mayWrite}
        >
          {t('newsletter')}
        </Checkbox>
      </DraftForm>
    </Card>
  )
}
