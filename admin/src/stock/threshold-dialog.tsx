import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { SetLowStockThresholdDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'

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
  const store = (next: number) => run({ input: { sku, threshold: Number.isNaN(next) ? null : next } })
  const submit = async () => {
    if ((await store(value)) === null) return
    tell(t('thresholdSaved', { sku }), () => void store(threshold))
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
