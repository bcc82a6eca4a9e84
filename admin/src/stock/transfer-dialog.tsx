import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { CreateTransferDocument, WarehouseNamesDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'

interface Line {
  readonly sku: string
  readonly quantity: number
}

/** A draft: nothing moves before it is sent off. */
export function TransferDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const warehouses = useApi('stock', WarehouseNamesDocument, {})
  const places = (warehouses.data?.warehouses.nodes ?? []).map(({ id, name }) => ({ id, text: name }))
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [lines, setLines] = useState<readonly Line[]>([{ sku: '', quantity: 1 }])
  const [expectedDate, setExpected] = useState('')
  const [notes, setNotes] = useState('')
  const { run, error, pending } = useChange(CreateTransferDocument, ['stock'])
  const set = (index: number, part: Partial<Line>) =>
    setLines(lines.map((each, at) => (at === index ? { ...each, ...part } : each)))
  const submit = async () => {
    const input = {
      fromWarehouseId: from,
      toWarehouseId: to,
      lines,
      ...(expectedDate !== '' && { expectedDate }),
      ...(notes !== '' && { notes }),
    }
    if ((await run({ input })) === null) return
    tell(t('transferCreated'))
    onClose()
  }
  return (
    <FormDialog
      title={t('newTransfer')}
      fields={[
        'fromWarehouseId',
        'toWarehouseId',
        'expectedDate',
        'notes',
        ...lines.flatMap((_line, index) => [`lines.${index}.sku`, `lines.${index}.quantity`]),
      ]}
      error={error}
      submit={t('createDraft')}
      pending={pending}
      disabled={from === '' || to === '' || lines.some(({ sku, quantity }) => sku === '' || !(quantity > 0))}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <div className="columns">
        <Select name="fromWarehouseId" label={t('from')} value={from} onChange={setFrom} choices={places} />
        <Select name="toWarehouseId" label={t('to')} value={to} onChange={setTo} choices={places} />
      </div>
      {lines.map(({ sku, quantity }, index) => (
        <div key={index} className="sku-line">
          <TextField
            name={`lines.${index}.sku`}
            label={t('sku')}
            value={sku}
            onChange={(next) => set(index, { sku: next })}
            isRequired
          />
          <NumberField
            name={`lines.${index}.quantity`}
            label={t('quantity')}
            minValue={1}
            value={quantity}
            onChange={(next) => set(index, { quantity: next })}
          />
          {lines.length > 1 && (
            <IconButton
              icon="trash"
              label={t('removeLine', { number: index + 1 })}
              onPress={() => setLines(lines.filter((_line, at) => at !== index))}
            />
          )}
        </div>
      ))}
      <div>
        <Button look="quiet" icon="plus" onPress={() => setLines([...lines, { sku: '', quantity: 1 }])}>
          {t('addLine')}
        </Button>
      </div>
      <TextField
        name="expectedDate"
        type="date"
        label={t('expectedDate')}
        value={expectedDate}
        onChange={setExpected}
      />
      <TextField name="notes" label={t('notes')} multiline value={notes} onChange={setNotes} />
    </FormDialog>
  )
}
