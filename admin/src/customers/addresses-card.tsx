import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { ChangeCustomerAddressDocument, RemoveCustomerAddressDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Address } from '../orders/order-aside.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Badge, Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { AddressDialog, type CustomerAddress } from './address-dialog.tsx'
import type { Customer } from './customer-page.tsx'

/** Where the customer's orders go to. One of the addresses is the default. */
export function AddressesCard({ customer }: { readonly customer: Customer }): ReactNode {
  const t = useText()
  const mayWrite = useMay('customers:write')
  const [adding, setAdding] = useState(false)
  const { id, addresses } = customer
  return (
    <Card
      title={t('addresses')}
      actions={mayWrite && <Button onPress={() => setAdding(true)}>{t('addAddress')}</Button>}
    >
      {addresses.length === 0 ? (
        <p className="muted">{t('noAddresses')}</p>
      ) : (
        <ul>
          {addresses.map((address) => (
            <AddressRow key={address.id} address={address} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {adding && (
        <AddressDialog customerId={id} isFirst={addresses.length === 0} onClose={() => setAdding(false)} />
      )}
    </Card>
  )
}

interface RowProps {
  readonly address: CustomerAddress
  readonly mayWrite: boolean
}

function AddressRow({ address, mayWrite }: RowProps): ReactNode {
  const t = useText()
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null)
  const { run, error, pending } = useChange(ChangeCustomerAddressDocument, ['customers'])
  const { id, line1, city, isDefault } = address
  const name = `${line1}, ${city}`
  const close = () => setOpen(null)
  const makeDefault = async () => {
    if ((await run({ id, input: {}, isDefault: true })) !== null) tell(t('isDefaultNow', { name }))
  }
  return (
    <li className="parcel">
      {error !== null && <Fault text={reasonOf(error)} />}
      <div className="between">
        <Address address={address} />
        {isDefault && <Badge tone="info">{t('defaultAddress')}</Badge>}
      </div>
      {mayWrite && (
        <div className="chips">
          <Button aria-label={t('changeAddressTitle', { name })} onPress={() => setOpen('edit')}>
            {t('changeAddress')}
          </Button>
          {!isDefault && (
            <Button
              isDisabled={pending}
              aria-label={t('makeDefaultTitle', { name })}
              onPress={() => void makeDefault()}
            >
              {t('makeDefault')}
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={t('removeAddress', { address: name })}
            onPress={() => setOpen('remove')}
          >
            {t('remove')}
          </Button>
        </div>
      )}
      {open === 'edit' && <AddressDialog address={address} onClose={close} />}
      {open === 'remove' && (
        <ConfirmDialog
          title={t('removeAddress', { address: name })}
          lead={t('removeAddressLead')}
          submit={t('remove')}
          danger
          document={RemoveCustomerAddressDocument}
          variables={{ id }}
          subjects={['customers']}
          done={t('addressRemoved', { address: name })}
          onClose={close}
        />
      )}
    </li>
  )
}
