import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { SetLowStockThresholdDocument, ShopThresholdDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { thresholdBefore } from './threshold-before.ts'

interface Props {
  readonly sku: string
  readonly threshold: number
  readonly onClose: () => void
}

/** From how many units on a SKU is at risk. Without a number it is the shop's. */
export function ThresholdDialog({ sku, threshold, onClose }: Props): ReactNode {
  const t = useText()
  const [value, setValue] = useState(threshold)
  const { run, error, pending } = useChange(SetLowStockThresholdDocument, ['stock', 'products', 'home'])
  const enabled = useMay('merchant:read')
  const shop = useApi('settings', ShopThresholdDocument, {}, { enabled }).data?.merchantAccount?.settings
  const store = (next: number | null) => run({ input: { sku, threshold: next } })
  const submit = async () => {
    const before = thresholdBefore(threshold, shop?.lowStockThreshold)
    // The number that was there may be the shop's: sent, it would be the SKU's own.
    if (value !== threshold) {
      if ((await store(Number.isNaN(value) ? null : value)) === null) return
      tell(t('thresholdSaved', { sku }), () => void store(before))
    }
    onClose()
  }
  return (
    <FormDialog
      title={t('thresholdOf', { sku })}
      narrow
      fields={['threshold']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <NumberField
        name="threshold"
        label={t('threshold')}
        hint={t('thresholdHint')}
        minValue={0}
        maxValue={999_999}
        value={value}
        onChange={setValue}
        autoFocus
      />
    </FormDialog>
  )
}
