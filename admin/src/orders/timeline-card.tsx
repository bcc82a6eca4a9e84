import { type ReactNode, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { allNodes } from '../api/all-nodes.ts'
import { type Subject, useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import {
  AddOrderNoteDocument,
  OrderHistoryDocument,
  type OrderHistoryQuery,
  type OrderHistoryType,
  type PaymentMethod,
} from '../generated/operations.ts'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Checkbox, TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import { historyTypes, orderStatuses, paymentMethods } from './order-names.ts'
import type { Order } from './order-page.tsx'

type Entry = NonNullable<OrderHistoryQuery['order']>['history']['nodes'][number]

const important = new Set<OrderHistoryType>([
  'PLACED',
  'PAYMENT_SUCCEEDED',
  'SHIPMENT_SHIPPED',
  'SHIPMENT_DELIVERED',
  'REFUND_SUCCEEDED',
])

const subject: Subject = 'orders'
const noEntries = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }

/** All that happened to an order. The API has the oldest first, so the latest are on the last page. */
const useHistory = (id: string) =>
  useQuery({
    queryKey: [subject, OrderHistoryDocument.toString(), id],
    queryFn: ({ signal }) =>
      allNodes(OrderHistoryDocument, { id }, ({ order }) => order?.history ?? noEntries, signal),
  })

/** What happened, the latest first, and a field for what one wants to say about it. */
export function TimelineCard({ order }: { readonly order: Order }): ReactNode {
  const t = useText()
  const { data, error, refetch } = useHistory(order.id)
  const mayWrite = useMay('orders:write')
  return (
    <Card title={t('timeline')}>
      {mayWrite && <NoteForm id={order.id} />}
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <ol className="timeline">
          {data.toReversed().map((entry) => (
            <TimelineEntry key={entry.id} entry={entry} currency={order.currency} />
          ))}
        </ol>
      )}
    </Card>
  )
}

const isMethod = (note: string | null): note is PaymentMethod =>
  note !== null && Object.hasOwn(paymentMethods, note)

const actors = { CUSTOMER: 'byCustomer', MERCHANT: 'byMerchant', SYSTEM: 'bySystem' } as const

function TimelineEntry({ entry, currency }: { readonly entry: Entry; readonly currency: string }): ReactNode {
  const t = useText()
  const { money, dateTime } = useFormat()
  const what =
    entry.type === 'STATUS_CHANGED' && entry.toStatus !== null
      ? t('historyStatusTo', { status: t(orderStatuses[entry.toStatus].name) })
      : t(historyTypes[entry.type])
  // The history notes by what was paid.
  const method = isMethod(entry.note) ? paymentMethods[entry.note] : undefined
  return (
    <li className={important.has(entry.type) ? 'important' : ''}>
      <div>
        <span className="strong">{what}</span>
        {entry.amount !== null && <span className="number"> {money(entry.amount, currency)}</span>}
      </div>
      <div className="small muted">
        {dateTime(entry.createdAt)} · {t(actors[entry.actor])}
        {method !== undefined && ` · ${t(method)}`}
        {entry.type === 'NOTE_ADDED' && ` · ${t(entry.staffOnly ? 'staffOnly' : 'customerSees')}`}
      </div>
      {entry.note !== null && method === undefined && <p className="note small">{entry.note}</p>}
    </li>
  )
}

function NoteForm({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const [text, setText] = useState('')
  const [visibleToCustomer, setVisible] = useState(false)
  const { run, error, pending } = useChange(AddOrderNoteDocument, ['orders'])
  const faults = faultsOf(error, ['text'])
  const submit = async () => {
    if ((await run({ id, input: { text, visibleToCustomer } })) !== null) setText('')
  }
  return (
    <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
      {faults.general !== null && <Fault text={faults.general} />}
      <TextField name="text" label={t('addNote')} multiline value={text} onChange={setText} />
      {text !== '' && (
        <div className="between">
          <Checkbox isSelected={visibleToCustomer} onChange={setVisible}>
            {t('customerMaySee')}
          </Checkbox>
          <Button type="submit" isDisabled={pending}>
            {t('add')}
          </Button>
        </div>
      )}
    </ServerForm>
  )
}
