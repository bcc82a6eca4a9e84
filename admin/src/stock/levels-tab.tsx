import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { askAgain, changeOrRefusal, useApi } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  SetInventoryLevelDocument,
  StockLevelsDocument,
  type StockLevelsQuery,
  WarehouseNamesDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { NumberField, SearchField, Select } from '../ui/fields.tsx'
import { Badge, Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { type Counted, differences, type Level, levelsOf } from './levels.ts'

const filterNames = ['q', 'warehouse'] as const
const connection = ({ products }: StockLevelsQuery) => products

/** What each warehouse has, and a sheet to write down what was counted there. */
export function LevelsTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('inventory:write')
  const [{ q, warehouse }, change] = useFilters(filterNames)
  const [typed, type] = useTyped(q, (text) => change({ q: text }))
  const warehouses = useApi('stock', WarehouseNamesDocument, {})
  const places = warehouses.data?.warehouses.nodes ?? []
  const warehouseId = places.find(({ id }) => id === warehouse)?.id ?? places[0]?.id ?? ''
  const pages = usePages({
    subject: 'stock',
    document: StockLevelsDocument,
    variables: { searchQuery: q === '' ? null : q },
    connection,
  })
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map())
  const levels = levelsOf(pages.rows, warehouseId)
  const changed = differences(levels, counts)
  const { pending, refused, save } = useCount(warehouseId)
  const submit = async () => {
    const left = await save(changed)
    setCounts((all) => new Map([...all].filter(([sku]) => left.has(sku))))
  }
  return (
    <div className="card">
      <div className="filters">
        <SearchField label={t('searchProducts')} value={typed} onChange={type} />
        <Select
          label={t('warehouse')}
          labelHidden
          value={warehouseId}
          onChange={(next) => {
            change({ warehouse: next })
            setCounts(new Map())
          }}
          choices={places.map(({ id, name }) => ({ id, text: name }))}
        />
        {mayWrite && (
          <Button look="primary" isDisabled={changed.length === 0 || pending} onPress={() => void submit()}>
            {pending ? t('sending') : t('saveCounts', { count: changed.length })}
          </Button>
        )}
      </div>
      {pages.error !== null ? (
        <Failed error={pages.error} retry={pages.retry} />
      ) : pages.pending || warehouses.isPending ? (
        <Loading lines={8} />
      ) : levels.length === 0 ? (
        <Empty icon="warehouse" title={t('noLevels')} text={t('noLevelsText')} />
      ) : (
        <LevelTable
          levels={levels}
          counts={mayWrite ? counts : null}
          refused={refused}
          onCount={(sku, counted) => setCounts(new Map(counts).set(sku, counted))}
        />
      )}
      {pages.hasMore && (
        <div className="end-of-list">
          <Button isDisabled={pages.loading} onPress={pages.loadMore}>
            {t('showMore', { count: pages.rows.length, total: pages.totalCount })}
          </Button>
        </div>
      )}
    </div>
  )
}

interface TableProps {
  readonly levels: readonly Level[]
  /** Null: the person may only look. */
  readonly counts: ReadonlyMap<string, number> | null
  readonly refused: ReadonlyMap<string, string>
  readonly onCount: (sku: string, counted: number) => void
}

function LevelTable({ levels, counts, refused, onCount }: TableProps): ReactNode {
  const t = useText()
  return (
    <div className="scroll inside" tabIndex={0} role="group" aria-label={t('levels')}>
      <table className="grid-table">
        <thead>
          <tr>
            <th scope="col">{t('product')}</th>
            <th scope="col">{t('sku')}</th>
            <th scope="col" className="end">
              {t('reserved')}
            </th>
            <th scope="col" className="end">
              {t('available')}
            </th>
            {counts && <th scope="col">{t('counted')}</th>}
          </tr>
        </thead>
        <tbody>
          {levels.map(({ sku, name, productId, available, reserved }) => (
            <tr key={sku}>
              <td>
                <Link href={`/products/${productId}`} className="strong">
                  {name}
                </Link>
                {refused.has(sku) && <Fault text={refused.get(sku) ?? ''} />}
              </td>
              <td className="muted">{sku}</td>
              <td className="end">{reserved}</td>
              <td className="end">
                <Badge tone={available === 0 ? 'bad' : 'calm'}>{available}</Badge>
              </td>
              {counts && (
                <td>
                  <div className="price">
                    <NumberField
                      label={t('countedOf', { name })}
                      labelHidden
                      minValue={0}
                      maxValue={999_999}
                      value={counts.get(sku) ?? available}
                      onChange={(counted) => onCount(sku, counted)}
                    />
                  </div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface Count {
  readonly pending: boolean
  /** Why, by SKU. */
  readonly refused: ReadonlyMap<string, string>
  /** Resolves with the SKUs that were refused. */
  readonly save: (changed: readonly Counted[]) => Promise<ReadonlySet<string>>
}

function useCount(warehouseId: string): Count {
  const t = useText()
  const [pending, setPending] = useState(false)
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const send = async (levels: readonly { readonly sku: string; readonly available: number }[]) => {
    setPending(true)
    const found = new Map<string, string>()
    for (const { sku, available } of levels) {
      const input = { sku, available, warehouseId, reason: t('countReason') }
      const error = await changeOrRefusal(SetInventoryLevelDocument, { input })
      if (error !== null) found.set(sku, reasonOf(error))
    }
    await askAgain(['stock', 'products', 'home'])
    setRefused(found)
    setPending(false)
    return new Set(found.keys())
  }
  const save = async (changed: readonly Counted[]) => {
    const left = await send(changed.map(({ sku, counted }) => ({ sku, available: counted })))
    const done = changed.filter(({ sku }) => !left.has(sku))
    if (done.length > 0) tell(t('countsSaved', { count: done.length }), () => void send(done))
    return left
  }
  return { pending, refused, save }
}
