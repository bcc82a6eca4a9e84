import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import {
  CreateMethodDocument,
  CreateZoneDocument,
  DeleteMethodDocument,
  DeleteZoneDocument,
  ShippingDocument,
  type ShippingQuery,
  UpdateMethodDocument,
  UpdateZoneDocument,
} from '../generated/operations.ts'
import { useLanguage, useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { Checkbox, NumberField, TextField } from '../ui/fields.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'

type Zone = NonNullable<ShippingQuery['merchantAccount']>['settings']['shippingZones'][number]
type Method = Zone['methods'][number]

/** Where the shop ships to, and what it takes for it. */
export function ShippingTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const { data, error, refetch } = useApi('settings', ShippingDocument, {})
  const [editing, setEditing] = useState<Zone | 'new' | null>(null)
  const zones = data?.merchantAccount?.settings.shippingZones ?? []
  return (
    <div className="stack">
      {mayWrite && (
        <div>
          <Button icon="plus" look="primary" onPress={() => setEditing('new')}>
            {t('newZone')}
          </Button>
        </div>
      )}
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : zones.length === 0 ? (
        <Empty icon="truck" title={t('noZones')} text={t('noZonesText')} />
      ) : (
        zones.map((zone) => (
          <ZoneCard key={zone.id} zone={zone} mayWrite={mayWrite} onEdit={() => setEditing(zone)} />
        ))
      )}
      {editing !== null && (
        <ZoneDialog zone={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
    </div>
  )
}

interface ZoneCardProps {
  readonly zone: Zone
  readonly mayWrite: boolean
  readonly onEdit: () => void
}

function ZoneCard({ zone, mayWrite, onEdit }: ZoneCardProps): ReactNode {
  const t = useText()
  const { locale } = useLanguage()
  const { money } = useFormat()
  const { currency } = useShop()
  const [editing, setEditing] = useState<Method | 'new' | null>(null)
  const removal = useChange(DeleteMethodDocument, ['settings'])
  const zoneRemoval = useChange(DeleteZoneDocument, ['settings'])
  const error = removal.error ?? zoneRemoval.error
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  const remove = async ({ id, name }: Method) => {
    if ((await removal.run({ id })) !== null) tell(t('methodDeleted', { name }))
  }
  const removeZone = async () => {
    if ((await zoneRemoval.run({ id: zone.id })) !== null) tell(t('zoneDeleted', { name: zone.name }))
  }
  return (
    <Card
      title={zone.name}
      actions={
        mayWrite && (
          <span className="chips">
            <Button look="quiet" onPress={onEdit}>
              {t('edit')}
            </Button>
            <Button look="quiet" isDisabled={zoneRemoval.pending} onPress={() => void removeZone()}>
              {t('delete')}
            </Button>
          </span>
        )
      }
    >
      <div className="form">
        {error !== null && <Fault text={reasonOf(error)} />}
        <p className="muted">
          {zone.countries.length === 0
            ? t('everywhereElse')
            : zone.countries.map((code) => names.of(code) ?? code).join(', ')}
        </p>
        <ul>
          {zone.methods.map((method) => (
            <li key={method.id} className="parcel">
              <div className="between">
                <span>
                  <span className="strong">{method.name}</span> {money(method.price, currency)}{' '}
                  {!method.active && <Badge tone="calm">{t('switchedOff')}</Badge>}
                </span>
                {mayWrite && (
                  <span className="chips">
                    <Button
                      look="quiet"
                      aria-label={t('editNamed', { name: method.name })}
                      onPress={() => setEditing(method)}
                    >
                      {t('edit')}
                    </Button>
                    <Button
                      look="quiet"
                      aria-label={t('deleteNamed', { name: method.name })}
                      isDisabled={removal.pending}
                      onPress={() => void remove(method)}
                    >
                      {t('delete')}
                    </Button>
                  </span>
                )}
              </div>
            </li>
          ))}
        </ul>
        {mayWrite && (
          <div>
            <Button icon="plus" onPress={() => setEditing('new')}>
              {t('newMethod')}
            </Button>
          </div>
        )}
      </div>
      {editing !== null && (
        <MethodDialog
          zoneId={zone.id}
          method={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
    </Card>
  )
}

function ZoneDialog({
  zone,
  onClose,
}: {
  readonly zone: Zone | null
  readonly onClose: () => void
}): ReactNode {
  const t = useText()
  const [name, setName] = useState(zone?.name ?? '')
  const [countries, setCountries] = useState(zone?.countries.join(', ') ?? '')
  const creation = useChange(CreateZoneDocument, ['settings'])
  const change = useChange(UpdateZoneDocument, ['settings'])
  const { error, pending } = zone === null ? creation : change
  const submit = async () => {
    const input = { name, countries: countries.split(/[\s,]+/).filter((code) => code !== '') }
    const done = zone === null ? await creation.run({ input }) : await change.run({ id: zone.id, input })
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

interface MethodProps {
  readonly zoneId: string
  readonly method: Method | null
  readonly onClose: () => void
}

function MethodDialog({ zoneId, method, onClose }: MethodProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const unit = unitsOf(currency)
  const [name, setName] = useState(method?.name ?? '')
  const [price, setPrice] = useState((method?.price ?? 0) / unit)
  const [active, setActive] = useState(method?.active ?? true)
  const creation = useChange(CreateMethodDocument, ['settings'])
  const change = useChange(UpdateMethodDocument, ['settings'])
  const { error, pending } = method === null ? creation : change
  const submit = async () => {
    const input = { name, price: Math.round(price * unit), active }
    const done =
      method === null
        ? await creation.run({ shippingZoneId: zoneId, input })
        : await change.run({ id: method.id, input })
    if (done === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={method === null ? t('newMethod') : method.name}
      narrow
      fields={['name', 'price']}
      error={error}
      submit={t('save')}
      pending={pending}
      disabled={Number.isNaN(price)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <NumberField
        name="price"
        label={t('price')}
        value={price}
        onChange={setPrice}
        minValue={0}
        formatOptions={moneyOptions(currency)}
      />
      <Checkbox isSelected={active} onChange={setActive}>
        {t('methodOffered')}
      </Checkbox>
    </FormDialog>
  )
}
