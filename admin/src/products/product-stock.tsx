import { type ReactNode, useState } from 'react'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { AdjustDialog } from '../stock/adjust-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/states.tsx'
import type { Product } from './product-page.tsx'

export function StockCard({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  const mayAdjust = useMay('inventory:write')
  const [adjusting, setAdjusting] = useState(false)
  const { inventory } = product
  if (inventory === null) return null
  return (
    <Card title={t('stock')}>
      <dl className="facts">
        <dt>{t('available')}</dt>
        <dd className="number strong">{inventory.available}</dd>
        <dt>{t('reserved')}</dt>
        <dd className="number">{inventory.reserved}</dd>
      </dl>
      {product.variants.length > 0 ? (
        <VariantStock product={product} />
      ) : (
        <dl className="facts">
          {inventory.warehouses.map(({ warehouseId, warehouse, available }) => (
            <div key={warehouseId} className="row-of-facts">
              <dt>{warehouse.name}</dt>
              <dd className="number">{available}</dd>
            </div>
          ))}
        </dl>
      )}
      {mayAdjust && product.variants.length === 0 && (
        <Button onPress={() => setAdjusting(true)}>{t('adjustStock')}</Button>
      )}
      {adjusting && <AdjustDialog sku={product.sku} onClose={() => setAdjusting(false)} />}
    </Card>
  )
}

/** What can be sold of each variant from each warehouse. */
function VariantStock({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  const mayAdjust = useMay('inventory:write')
  const [adjusting, setAdjusting] = useState<string | null>(null)
  const warehouses = product.inventory?.warehouses ?? []
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={t('stockByWarehouse')}>
      <table className="grid-table small">
        <thead>
          <tr>
            <th scope="col">{t('variant')}</th>
            {warehouses.map(({ warehouseId, warehouse }) => (
              <th key={warehouseId} scope="col" className="end">
                {warehouse.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {product.variants.map(({ id, sku, options, inventory }) => {
            const name = options.map(({ value }) => value).join(' / ') || sku
            return (
              <tr key={id}>
                <td>
                  {mayAdjust ? (
                    <button
                      type="button"
                      className="link"
                      aria-label={t('adjustStockOf', { name })}
                      onClick={() => setAdjusting(sku)}
                    >
                      {name}
                    </button>
                  ) : (
                    name
                  )}
                </td>
                {warehouses.map(({ warehouseId }) => (
                  <td key={warehouseId} className="end">
                    {inventory?.warehouses.find((each) => each.warehouseId === warehouseId)?.available ?? 0}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
      {adjusting !== null && <AdjustDialog sku={adjusting} onClose={() => setAdjusting(null)} />}
    </div>
  )
}
