import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { ReceiveReturnDocument, WarehouseNamesDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, Select } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Order } from './order-page.tsx'
import type { Return } from './returns-card.tsx'

interface Props {
  readonly order: Order
  readonly item: Return
  readonly onClose: () => void
}

/** The goods have come: how many of them can be sold again, and where they go. */
export function ReceiveReturnDialog({ order, item, onClose }: Props): ReactNode {
  const t = useText()
  const [units, setUnits] = useState(
    () => new Map(item.items.map(({ orderItemId, quantity }) => [orderItemId, quantity])),
  )
  const [warehouseId, setWarehouse] = useState('')
  const warehouses = useApi('stock', WarehouseNamesDocument, {}, { enabled: useMay('inventory:read') })
  const choices = warehouses.data?.warehouses.nodes.filter(({ active }) => active) ?? []
  const { run, error, pending } = useChange(ReceiveReturnDocument, ['orders', 'stock', 'products'])
  const restock = [...units].flatMap(([orderItemId, quantity]) =>
    quantity > 0 ? [{ orderItemId, quantity }] : [],
  )
  const submit = async () => {
    const input = {
      ...(restock.length > 0 && { restock }),
      ...(warehouseId !== '' && { warehouseId }),
    }
    if ((await run({ id: item.id, input })) === null) return
    tell(t('returnIsReceived', { number: item.returnNumber }))
    onClose()
  }
  return (
    <FormDialog
      title={t('receiveTitle', { number: item.returnNumber })}
      fields={[...restock.map((_line, index) => `restock.${index}.quantity`), 'warehouseId']}
      error={error}
      submit={t('receiveReturn')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p className="muted">{t('receiveLead')}</p>
      <div>
        {item.items.map(({ orderItemId, quantity }) => {
          const line = order.items.find(({ id }) => id === orderItemId)
          return (
            <div key={orderItemId} className="pick">
              <div className="wrap">
                <span className="strong">{line?.productName}</span>
                <div className="small muted">{t('cameBackUnits', { count: quantity })}</div>
              </div>
              <NumberField
                name={`restock.${restock.findIndex((each) => each.orderItemId === orderItemId)}.quantity`}
                label={t('sellableUnitsOf', { product: line?.productName ?? '' })}
                labelHidden
                minValue={0}
                maxValue={quantity}
                value={units.get(orderItemId) ?? 0}
                onChange={(value) =>
                  setUnits(new Map(units).set(orderItemId, Number.isNaN(value) ? 0 : value))
                }
              />
            </div>
          )
        })}
      </div>
      {choices.length > 1 && restock.length > 0 && (
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
    </FormDialog>
  )
}
