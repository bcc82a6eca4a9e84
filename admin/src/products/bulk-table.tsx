import { memo, type ReactNode } from 'react'
import { moneyOptions, unitsOf } from '../format/money.ts'
import type { ProductStatus } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { type BulkEdits, type BulkProduct, type BulkRow, rowOf } from './bulk-changes.ts'
import { productStatuses } from './product-names.ts'

interface Props {
  readonly products: readonly BulkProduct[]
  readonly edits: BulkEdits
  readonly faults: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly onEdit: (product: BulkProduct, part: Partial<BulkRow>) => void
}

export function BulkTable({ products, edits, faults, onEdit }: Props): ReactNode {
  const t = useText()
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={t('bulkEdit')}>
      <table className="grid-table bulk">
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('sku')}</th>
            <th scope="col">{t('price')}</th>
            <th scope="col">{t('compareAtPrice')}</th>
            <th scope="col">{t('status')}</th>
          </tr>
        </thead>
        <tbody>
          {products.map((product) => (
            <Row
              key={product.id}
              product={product}
              edits={edits.get(product.id)?.row}
              faults={faults.get(product.id)}
              onEdit={onEdit}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  readonly product: BulkProduct
  readonly edits: Partial<BulkRow> | undefined
  readonly faults: Readonly<Record<string, string>> | undefined
  readonly onEdit: (product: BulkProduct, part: Partial<BulkRow>) => void
}

const Row = memo(function Row({ product, edits, faults = {}, onEdit }: RowProps): ReactNode {
  const t = useText()
  const stored = rowOf(product)
  const row = { ...stored, ...edits }
  const set = (part: Partial<BulkRow>) => onEdit(product, part)
  const isChanged = (name: keyof BulkRow) => !Object.is(row[name], stored[name])
  const fault = (name: string) => faults[name] !== undefined && <p className="fault">{faults[name]}</p>
  const state = (name: keyof BulkRow) => (isChanged(name) ? 'changed' : undefined)
  const money = {
    labelHidden: true,
    minValue: 0,
    step: 1 / unitsOf(product.currency),
    formatOptions: moneyOptions(product.currency),
  } as const
  const { name } = product
  return (
    <tr>
      <td className={state('name')}>
        <TextField
          label={t('nameOf', { name })}
          labelHidden
          value={row.name}
          onChange={(next) => set({ name: next })}
          isInvalid={faults['name'] !== undefined}
        />
        {fault('name')}
        {fault('')}
      </td>
      <td className={state('sku')}>
        <TextField
          label={t('skuOf', { name })}
          labelHidden
          value={row.sku}
          onChange={(sku) => set({ sku })}
          isInvalid={faults['sku'] !== undefined}
        />
        {fault('sku')}
      </td>
      <td className={state('price')}>
        <NumberField
          {...money}
          label={t('priceOf', { name })}
          value={row.price}
          onChange={(price) => set({ price })}
          isInvalid={faults['price'] !== undefined}
        />
        {fault('price')}
      </td>
      <td className={state('compareAtPrice')}>
        <NumberField
          {...money}
          label={t('compareAtPriceOf', { name })}
          value={row.compareAtPrice}
          onChange={(compareAtPrice) => set({ compareAtPrice })}
          isInvalid={faults['compareAtPrice'] !== undefined}
        />
        {fault('compareAtPrice')}
      </td>
      <td className={state('status')}>
        <Select
          label={t('statusOf', { name })}
          labelHidden
          value={row.status}
          onChange={(status) => set({ status: status as ProductStatus })}
          choices={Object.entries(productStatuses).map(([id, each]) => ({ id, text: t(each.name) }))}
        />
        {fault('status')}
      </td>
    </tr>
  )
})
