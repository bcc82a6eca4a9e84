import './products.css'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { RequestError } from '@commerce-graph/client'
import { askAgain, changeOrRefusal } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  BulkProductsDocument,
  type BulkProductsQuery,
  type ProductStatus,
  UpdateProductsDocument,
  type UpdateProductsInput,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { SearchField, Select } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import {
  batchesOf,
  type BulkEdits,
  type BulkProduct,
  type BulkRow,
  faultsByRow,
  inputOf,
  renewedEdits,
  undoInputOf,
  withEdit,
  withoutSaved,
} from './bulk-changes.ts'
import { BulkTable } from './bulk-table.tsx'
import { isProductStatus, productStatuses } from './product-names.ts'

const filterNames = ['q', 'status'] as const
const connection = ({ products }: BulkProductsQuery) => products

type Faults = ReadonlyMap<string, Readonly<Record<string, string>>>

/** Many products in one table, saved together. */
export default function BulkPage(): ReactNode {
  const t = useText()
  const [{ q, status }, change] = useFilters(filterNames)
  const [typed, type] = useTyped(q, (text) => change({ q: text }))
  const pages = usePages({
    subject: 'products',
    document: BulkProductsDocument,
    variables: { searchQuery: q === '' ? null : q, filters: isProductStatus(status) ? { status } : {} },
    connection,
  })
  const [edits, setEdits] = useState<BulkEdits>(new Map())
  const { faults, general, pending, save } = useBulkSave()
  const current = renewedEdits(edits, pages.rows)
  const count = [...current.values()].filter((each) => inputOf(each) !== null).length
  const edit = (product: BulkProduct, part: Partial<BulkRow>) =>
    setEdits((all) => withEdit(all, product, part))
  const submit = async () => {
    const saved = await save(current)
    setEdits((all) => withoutSaved(all, current, saved))
  }
  const statuses = Object.entries(productStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  const setAll = (next: ProductStatus) => {
    for (const product of pages.rows) edit(product, { status: next })
  }
  return (
    <Page
      title={t('bulkEdit')}
      lead={t('bulkLead')}
      back={{ href: '/products', text: t('products') }}
      actions={
        <>
          {count > 0 && (
            <Button look="quiet" onPress={() => setEdits(new Map())}>
              {t('undo')}
            </Button>
          )}
          <Button look="primary" isDisabled={count === 0 || pending} onPress={() => void submit()}>
            {pending ? t('sending') : t('saveCount', { count })}
          </Button>
        </>
      }
    >
      {general !== null && <Fault text={general} />}
      {faultsElsewhere(current, pages.rows, faults).map((text) => (
        <Fault key={text} text={text} />
      ))}
      <div className="card">
        <div className="filters">
          <SearchField label={t('searchProducts')} value={typed} onChange={type} />
          <Select
            label={t('status')}
            labelHidden
            value={status}
            onChange={(next) => change({ status: next })}
            choices={[{ id: '', text: t('allStatuses') }, ...statuses]}
          />
          <div className="set-all">
            <Select
              label={t('setAllTo')}
              labelHidden
              value=""
              onChange={(next) => isProductStatus(next) && setAll(next)}
              choices={[{ id: '', text: t('setAllTo') }, ...statuses]}
            />
          </div>
        </div>
        {pages.error !== null ? (
          <Failed error={pages.error} retry={pages.retry} />
        ) : pages.pending ? (
          <Loading lines={8} />
        ) : pages.rows.length === 0 ? (
          <Empty icon="package" title={t('nothingFound')} text={t('nothingFoundText')}>
            <Link href="/products/bulk" className="button">
              {t('clearFilters')}
            </Link>
          </Empty>
        ) : (
          <BulkTable products={pages.rows} edits={current} faults={faults} onEdit={edit} />
        )}
        {pages.hasMore && (
          <div className="inside end-of-list">
            <Button isDisabled={pages.loading} onPress={pages.loadMore}>
              {t('showMore', { count: pages.rows.length, total: pages.totalCount })}
            </Button>
          </div>
        )}
      </div>
    </Page>
  )
}

/** What is wrong with products that were edited and that the filters don't list now. */
function faultsElsewhere(
  edits: BulkEdits,
  listed: readonly BulkProduct[],
  faults: Faults,
): readonly string[] {
  const ids = new Set(listed.map(({ id }) => id))
  return [...edits.values()].flatMap(({ product: { id, name } }) => {
    const texts = ids.has(id) ? [] : Object.values(faults.get(id) ?? {})
    return texts.length === 0 ? [] : [`${name}: ${texts.join(' ')}`]
  })
}

interface BulkSave {
  readonly faults: Faults
  readonly general: string | null
  readonly pending: boolean
  /** Resolves with the ids of the products that were saved. */
  readonly save: (edits: BulkEdits) => Promise<ReadonlySet<string>>
}

const noFaults: Faults = new Map()

/** Each product is changed by itself: what is refused stays in the table, with the reason at its field. */
function useBulkSave(): BulkSave {
  const t = useText()
  const [faults, setFaults] = useState(noFaults)
  const [general, setGeneral] = useState<string | null>(null)
  const [pending, setPending] = useState(false)
  const send = async (inputs: readonly UpdateProductsInput[]) => {
    setPending(true)
    const found = new Map<string, Readonly<Record<string, string>>>()
    let failure: RequestError | null = null
    for (const batch of batchesOf(inputs)) {
      const error = await changeOrRefusal(UpdateProductsDocument, { inputs: batch })
      if (error === null) continue
      const rows = faultsByRow(error, batch)
      for (const [id, fields] of rows) found.set(id, fields)
      if (rows.size === 0) {
        failure = error
        for (const { id } of batch) found.set(id, {})
      }
    }
    await askAgain(['products', 'categories', 'home'])
    setFaults(found)
    setGeneral(failure === null ? null : reasonOf(failure))
    setPending(false)
    return new Set(found.keys())
  }
  const save = async (edits: BulkEdits) => {
    const changes = [...edits.values()].flatMap((edit) => {
      const input = inputOf(edit)
      return input === null ? [] : [{ input, back: undoInputOf(edit.product, input) }]
    })
    const refused = await send(changes.map(({ input }) => input))
    const done = changes.filter(({ input }) => !refused.has(input.id))
    if (done.length > 0)
      tell(t('bulkSaved', { count: done.length }), () => void send(done.map(({ back }) => back)))
    return new Set(done.map(({ input }) => input.id))
  }
  return { faults, general, pending, save }
}
