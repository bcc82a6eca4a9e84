import { type ReactNode, useState } from 'react'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import {
  DeleteMethodDocument,
  DeleteZoneDocument,
  ShippingDocument,
  type ShippingQuery,
} from '../generated/operations.ts'
import { useLanguage, useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { ShippingMethodDialog } from './shipping-method-dialog.tsx'
import { ShippingZoneDialog } from './shipping-zone-dialog.tsx'

export type ShippingZone = NonNullable<ShippingQuery['merchantAccount']>['settings']['shippingZones'][number]
export type ShippingMethod = ShippingZone['methods'][number]

/** Where the shop ships to, and what it takes for it. */
export function ShippingTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const { data, error, refetch } = useApi('settings', ShippingDocument, {})
  const [editing, setEditing] = useState<ShippingZone | 'new' | null>(null)
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
        <ShippingZoneDialog zone={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
    </div>
  )
}

interface ZoneCardProps {
  readonly zone: ShippingZone
  readonly mayWrite: boolean
  readonly onEdit: () => void
}

function ZoneCard({ zone, mayWrite, onEdit }: ZoneCardProps): ReactNode {
  const t = useText()
  const { locale } = useLanguage()
  const { money } = useFormat()
  const { currency } = useShop()
  const [editing, setEditing] = useState<ShippingMethod | 'new' | null>(null)
  const [deleting, setDeleting] = useState<ShippingMethod | 'zone' | null>(null)
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  return (
    <Card
      title={zone.name}
      actions={
        mayWrite && (
          <span className="chips">
            <Button look="quiet" onPress={onEdit}>
              {t('edit')}
            </Button>
            <Button look="quiet" onPress={() => setDeleting('zone')}>
              {t('delete')}
            </Button>
          </span>
        )
      }
    >
      <div className="form">
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
                      onPress={() => setDeleting(method)}
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
        <ShippingMethodDialog
          zoneId={zone.id}
          method={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting !== null && (
        <DeleteDialog zone={zone} deleting={deleting} onClose={() => setDeleting(null)} />
      )}
    </Card>
  )
}

interface DeleteProps {
  readonly zone: ShippingZone
  readonly deleting: ShippingMethod | 'zone'
  readonly onClose: () => void
}

function DeleteDialog({ zone, deleting, onClose }: DeleteProps): ReactNode {
  const t = useText()
  const { id, name } = deleting === 'zone' ? zone : deleting
  const common = {
    title: t('deleteNamed', { name }),
    submit: t('delete'),
    danger: true,
    variables: { id },
    subjects: ['settings'],
    onClose,
  } as const
  return deleting === 'zone' ? (
    <ConfirmDialog
      {...common}
      lead={t('deleteZoneLead')}
      document={DeleteZoneDocument}
      done={t('zoneDeleted', { name })}
    />
  ) : (
    <ConfirmDialog
      {...common}
      lead={t('deleteMethodLead')}
      document={DeleteMethodDocument}
      done={t('methodDeleted', { name })}
    />
  )
}
