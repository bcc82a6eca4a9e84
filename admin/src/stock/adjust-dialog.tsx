import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import {
  AdjustInventoryDocument,
  StockOfSkuDocument,
  WarehouseNamesDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'

interface Props {
  readonly sku?: string
  readonly onClose: () => void
}

/** Corrects the stock of a SKU by so many units, with the reason that the ledger keeps. */
export function AdjustDialog({ sku: given = '', onClose }: Props): ReactNode {
  const t = useText()
  const [sku, setSku] = useState(given)
  const [delta, setDelta] = useState(0)
  const [reason, setReason] = useState('')
  const [warehouseId, setWarehouse] = useState('')
  const warehouses = useApi('stock', WarehouseNamesDocument, {})
  const current = useApi('stock', StockOfSkuDocument, { skus: [sku] }, { enabled: sku !== '' })
  const { run, error, pending } = useChange(AdjustInventoryDocument, ['stock', 'products', 'home'])
  const available = current.data?.inventory.find((each) => each.sku === sku)?.available
  const choices = warehouses.data?.warehouses.nodes.filter(({ active }) => active) ?? []
  const submit = async () => {
    const input = { sku, delta, reason, ...(warehouseId !== '' && { warehouseId }) }
    const done = await run({ input })
    if (done === null) return
    tell(t('stockAdjusted', { sku, count: done.adjustInventory?.inventory?.available ?? 0 }))
    onClose()
  }
  return (
    <FormDialog
      title={t('adjustStock')}
      narrow
      fields={['sku', 'delta', 'reason', 'warehouseId']}
      error={error}
      submit={t('adjust')}
      pending={pending}
      disabled={delta === 0 || Number.isNaN(delta)}
      onSubmit={() => void submit()}
      onClose={onClose}
      aside={
        available !== undefined && (
          <div className="sum" role="status">
            <div className="small muted">{t('afterwards')}</div>
            <div className="sum-big">
              {available} → {available + (Number.isNaN(delta) ? 0 : delta)}
            </div>
          </div>
        )
      }
    >
      <TextField
        name="sku"
        label={t('sku')}
        value={sku}
        onChange={setSku}
        isRequired
        isReadOnly={given !== ''}
      />
      <NumberField name="delta" label={t('delta')} hint={t('deltaHint')} value={delta} onChange={setDelta} />
      {choices.length > 1 && (
        <Select
          name="warehouseId"
          label={t('warehouse')}
          value={warehouseId}
          onChange={setWarehouse}
          choices={[
            { id: '', text: t('defaultWarehouse') },
            ...choices.map(({ id, name }) => ({ id, text: name })),
          ]}
        />
      )}
      <TextField
        name="reason"
        label={t('reason')}
        hint={t('adjustReasonHint')}
        value={reason}
        onChange={setReason}
        isRequired
      />
    </FormDialog>
  )
}
