import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { CreateIncomingStockDocument, WarehouseNamesDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'

/** Writes down what was bought: it counts as on its way, and not as stock. */
export function ArrivalDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const warehouses = useApi('stock', WarehouseNamesDocument, {})
  const places = warehouses.data?.warehouses.nodes.filter(({ active }) => active) ?? []
  const [sku, setSku] = useState('')
  const [quantity, setQuantity] = useState(1)
  const [warehouseId, setWarehouse] = useState('')
  const [expectedDate, setExpected] = useState('')
  const [reference, setReference] = useState('')
  const { run, error, pending } = useChange(CreateIncomingStockDocument, ['stock', 'products'])
  const submit = async () => {
    const input = {
      sku,
      quantity,
      ...(warehouseId !== '' && { warehouseId }),
      ...(expectedDate !== '' && { expectedDate }),
      ...(reference !== '' && { reference }),
    }
    if ((await run({ input })) === null) return
    tell(t('arrivalCreated', { count: quantity, sku }))
    onClose()
  }
  return (
    <FormDialog
      title={t('newArrival')}
      narrow
      fields={['sku', 'quantity', 'warehouseId', 'expectedDate', 'reference']}
      error={error}
      submit={t('save')}
      pending={pending}
      disabled={!(quantity > 0)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="sku" label={t('sku')} value={sku} onChange={setSku} isRequired autoFocus />
      <NumberField
        name="quantity"
        label={t('quantity')}
        minValue={1}
        value={quantity}
        onChange={setQuantity}
      />
      {places.length > 1 && (
        <Select
          name="warehouseId"
          label={t('warehouse')}
          value={warehouseId}
          onChange={setWarehouse}
          choices={[
            { id: '', text: t('defaultWarehouse') },
            ...places.map(({ id, name }) => ({ id, text: name })),
          ]}
        />
      )}
      <TextField
        name="expectedDate"
        type="date"
        label={t('expectedDate')}
        value={expectedDate}
        onChange={setExpected}
      />
      <TextField
        name="reference"
        label={t('reference')}
        hint={t('referenceHint')}
        value={reference}
        onChange={setReference}
      />
    </FormDialog>
  )
}
