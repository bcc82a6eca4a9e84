import { type ReactNode, useState } from 'react'
import { useApi } from '../api/api.ts'
import { WarehouseListDocument, type WarehouseListQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { WarehouseDialog } from './warehouse-dialog.tsx'

export type Warehouse = WarehouseListQuery['warehouses']['nodes'][number]

/** The places that hold stock, in the order in which reservations take from them. */
export function WarehousesTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('inventory:write')
  const [edited, setEdited] = useState<Warehouse | 'new' | null>(null)
  const { data, error, refetch } = useApi('stock', WarehouseListDocument, {})
  const places = data?.warehouses.nodes.toSorted((one, other) => one.priority - other.priority) ?? []
  const create = mayWrite && (
    <Button icon="plus" onPress={() => setEdited('new')}>
      {t('newWarehouse')}
    </Button>
  )
  return (
    <Card title={t('warehouses')} actions={places.length > 0 && create}>
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : places.length === 0 ? (
        <Empty icon="warehouse" title={t('noWarehouses')} text={t('noWarehousesText')}>
          {create}
        </Empty>
      ) : (
        <ul>
          {places.map((place) => (
            <li key={place.id} className="parcel">
              <div className="between">
                <h3>{place.name}</h3>
                <Badge tone={place.active ? 'good' : 'calm'}>
                  {place.active ? t('warehouseSells') : t('warehouseSleeps')}
                </Badge>
              </div>
              <p className="small muted">
                {place.code} · {place.location.line1}, {place.location.postalCode} {place.location.city}
              </p>
              {mayWrite && (
                <div>
                  <Button icon="pencil" onPress={() => setEdited(place)}>
                    {t('editCategory', { name: place.name })}
                  </Button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {edited !== null && (
        <WarehouseDialog
          warehouse={edited === 'new' ? null : edited}
          nextPriority={Math.max(-1, ...places.map(({ priority }) => priority)) + 1}
          onClose={() => setEdited(null)}
        />
      )}
    </Card>
  )
}
