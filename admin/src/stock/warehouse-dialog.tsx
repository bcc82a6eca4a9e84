import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CreateWarehouseDocument, UpdateWarehouseDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { addressDraftOf, AddressFields, addressInputOf, addressParts } from '../ui/address-fields.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, NumberField, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useSendChanged } from '../ui/use-send-changed.ts'
import type { Warehouse } from './warehouses-tab.tsx'

interface Props {
  /** Null: a new one. */
  readonly warehouse: Warehouse | null
  /** Of a new one: after all others. */
  readonly nextPriority: number
  readonly onClose: () => void
}

const nowhere = {
  recipientName: null,
  company: null,
  line1: '',
  line2: null,
  city: '',
  state: '',
  postalCode: '',
  country: '',
  phone: null,
}

export function WarehouseDialog({ warehouse, nextPriority, onClose }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState(warehouse?.name ?? '')
  const [code, setCode] = useState(warehouse?.code ?? '')
  const [active, setActive] = useState(warehouse?.active ?? true)
  const [priority, setPriority] = useState(warehouse?.priority ?? nextPriority)
  const [location, setLocation] = useState(() => addressDraftOf(warehouse?.location ?? nowhere))
  const create = useChange(CreateWarehouseDocument, ['stock', 'products'])
  const update = useChange(UpdateWarehouseDocument, ['stock', 'products'])
  const input = { name, code, active, priority, location: addressInputOf(location) }
  const sendChanged = useSendChanged(input)
  const submit = async () => {
    const done =
      warehouse === null
        ? await create.run({ input })
        : await sendChanged((changed) => update.run({ id: warehouse.id, input: changed }))
    if (done === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={warehouse === null ? t('newWarehouse') : t('editCategory', { name: warehouse.name })}
      fields={['name', 'code', 'priority', ...addressParts('location')]}
      error={create.error ?? update.error}
      submit={t('save')}
      pending={create.pending || update.pending}
      disabled={Number.isNaN(priority)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <div className="columns">
        <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
        <TextField
          name="code"
          label={t('warehouseCode')}
          value={code}
          onChange={setCode}
          maxLength={50}
          isRequired
        />
        <NumberField
          name="priority"
          label={t('warehousePriority')}
          hint={t('warehousePriorityHint')}
          minValue={0}
          value={priority}
          onChange={setPriority}
        />
      </div>
      <AddressFields name="location" value={location} onChange={setLocation} />
      <Checkbox isSelected={active} onChange={setActive}>
        {t('warehouseActive')}
      </Checkbox>
    </FormDialog>
  )
}
