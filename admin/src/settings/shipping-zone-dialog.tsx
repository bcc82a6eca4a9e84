import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CreateZoneDocument, UpdateZoneDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useSendChanged } from '../ui/use-send-changed.ts'
import type { ShippingZone } from './shipping-tab.tsx'

interface Props {
  /** Null: a new one. */
  readonly zone: ShippingZone | null
  readonly onClose: () => void
}

/** Where a zone is. */
export function ShippingZoneDialog({ zone, onClose }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState(zone?.name ?? '')
  const [countries, setCountries] = useState(zone?.countries.join(', ') ?? '')
  const creation = useChange(CreateZoneDocument, ['settings'])
  const change = useChange(UpdateZoneDocument, ['settings'])
  const { error, pending } = zone === null ? creation : change
  const input = { name, countries: countries.split(/[\s,]+/).filter((code) => code !== '') }
  const sendChanged = useSendChanged(input)
  const submit = async () => {
    const done =
      zone === null
        ? await creation.run({ input })
        : await sendChanged((changed) => change.run({ id: zone.id, input: changed }))
    if (done === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={zone === null ? t('newZone') : zone.name}
      narrow
      fields={['name', 'countries']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <TextField
        name="countries"
        label={t('countries')}
        hint={t('countriesHint')}
        placeholder="DE, AT, CH"
        value={countries}
        onChange={setCountries}
      />
    </FormDialog>
  )
}
