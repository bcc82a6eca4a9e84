import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { askAgain, changeOrRefusal, useApi } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  AdjustInventoryDocument,
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
import {
  correctionOf,
  type Correction,
  type Count,
  countKey,
  type Counts,
  type Level,
  levelsOf,
  withCount,
  withoutCounts,
} from './levels.ts'

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
  const [counts, setCounts] = useState<Counts>(new Map())
  const levels = levelsOf(pages.rows, warehouseId)
  const { pending, refused, save } = useCount()
  const listed = new Set(levels.map(({ sku }) => countKey({ warehouseId, sku })))
  const elsewhere = [...counts].filter(([key]) => refused.has(key) && !listed.has(key))
  const submit = async () => {
    const saved = await save([...counts.values()])
    setCounts((all) => withoutCounts(all, saved))
  }
  return (
    <div className="card">
      <div className="filters">
        <SearchField label={t('searchProducts')} value={typed} onChange={type} />
        <Select
          label={t('warehouse')}
          labelHidden
          value={warehouseId}
          onChange={(next) => change({ warehouse: next })}
          choices={places.map(({ id, name }) => ({ id, text: name }))}
        />
        {mayWrite && (
          <Button look="primary" isDisabled={counts.size === 0 || pending} onPress={() => void submit()}>
            {pending ? t('sending') : t('saveCounts', { count: counts.size })}
          </Button>
        )}
      </div>
      {elsewhere.map(([key, { sku }]) => (
        <Fault key={key} text={`${sku}: ${refused.get(key)}`} />
      ))}
      {pages.error !== null ? (
        <Failed error={pages.error} retry={pages.retry} />
      ) : pages.pending || warehouses.isPending ? (
        <Loading lines={8} />
      ) : levels.length === 0 ? (
        <Empty icon="warehouse" title={t('noLevels')} text={t('noLevelsText')} />
      ) : (
        <LevelTable
          levels={levels}
          warehouseId={warehouseId}
          counts={mayWrite ? counts : null}
          refused={refused}
          onCount={(count) => setCounts((all) => withCount(all, count))}
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
  readonly warehouseId: string
  /** Null: the person may only look. */
  readonly counts: Counts | null
  readonly refused: Refused
  readonly onCount: (count: Count) => void
}

function LevelTable({ levels, warehouseId, counts, refused, onCount }: TableProps): ReactNode {
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
          {levels.map(({ sku, name, productId, available, reserved }) => {
            const key = countKey({ warehouseId, sku })
            return (
              <tr key={sku}>
                <td>
                  <Link href={`/products/${productId}`} className="strong">
                    {name}
                  </Link>
                  {refused.has(key) && <Fault text={refused.get(key) ?? ''} />}
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
                        value={counts.get(key)?.counted ?? available}
                        onChange={(counted) => onCount({ warehouseId, sku, available, counted })}
                      />
                    </div>
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Why, by warehouse and SKU. */
type Refused = ReadonlyMap<string, string>

interface CountState {
  readonly pending: boolean
  readonly refused: Refused
  /** Resolves with those that were saved. */
  readonly save: (counts: readonly Count[]) => Promise<readonly Count[]>
}

function useCount(): CountState {
  const t = useText()
  const [pending, setPending] = useState(false)
  const [refused, setRefused] = useState<Refused>(new Map())
  const send = async (corrections: readonly Correction[]) => {
    setPending(true)
    const found = new Map<string, string>()
    for (const correction of corrections) {
      const input = { ...correction, reason: t('countReason') }
      const error = await changeOrRefusal(AdjustInventoryDocument, { input })
      if (error !== null) found.set(countKey(correction), reasonOf(error))
    }
    await askAgain(['stock', 'products', 'home'])
    setRefused(found)
    setPending(false)
    return found
  }
  const save = async (counts: readonly Count[]) => {
    const left = await send(counts.map(correctionOf))
    const done = counts.filter((count) => !left.has(countKey(count)))
    const back = done.map(correctionOf).map((each) => ({ ...each, delta: -each.delta }))
    if (done.length > 0) tell(t('countsSaved', { count: done.length }), () => void send(back))
    return done
  }
  return { pending, refused, save }
}
