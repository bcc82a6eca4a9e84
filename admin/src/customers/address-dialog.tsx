import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { AddCustomerAddressDocument, ChangeCustomerAddressDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import {
  addressChangesOf,
  addressDraftOf,
  AddressFields,
  addressInputOf,
  addressParts,
  emptyAddress,
} from '../ui/address-fields.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Customer } from './customer-page.tsx'

export type CustomerAddress = Customer['addresses'][number]

type Props = { readonly onClose: () => void } & (
  | { readonly address: CustomerAddress }
  | {
      readonly customerId: string
      /** It becomes the default by itself. */
      readonly isFirst: boolean
    }
)

/** Adds an address of a customer, or changes one. */
export function AddressDialog(props: Props): ReactNode {
  const t = useText()
  const { onClose } = props
  const before = 'address' in props ? addressDraftOf(props.address) : emptyAddress
  const [draft, setDraft] = useState(before)
  const [isDefault, setDefault] = useState(false)
  const adding = useChange(AddCustomerAddressDocument, ['customers'])
  const changing = useChange(ChangeCustomerAddressDocument, ['customers'])
  const submit = async () => {
    const done =
      'address' in props
        ? await changing.run({ id: props.address.id, input: addressChangesOf(before, draft) })
        : await adding.run({ customerId: props.customerId, input: addressInputOf(draft), isDefault })
    if (done === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={
        'address' in props
          ? t('changeAddressTitle', { name: `${props.address.line1}, ${props.address.city}` })
          : t('addAddress')
      }
      fields={addressParts()}
      error={adding.error ?? changing.error}
      submit={t('save')}
      pending={adding.pending || changing.pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <AddressFields value={draft} onChange={setDraft} />
      {'isFirst' in props && !props.isFirst && (
        <Checkbox isSelected={isDefault} onChange={setDefault}>
          {t('useAsDefault')}
        </Checkbox>
      )}
    </FormDialog>
  )
}
