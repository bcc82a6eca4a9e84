import { type ReactNode, useMemo } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  DeliveryListDocument,
  type DeliveryListQuery,
  ReplayDeliveriesDocument,
  type WebhookDeliveryStatus,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Fault } from '../ui/dialog.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { usePages } from '../ui/use-pages.ts'
import { EndpointsCard } from './endpoints-card.tsx'

export const WebhooksTab = (): ReactNode => (
  <>
    <EndpointsCard />
    <Deliveries />
  </>
)

const statuses = {
  PENDING: { tone: 'wait', name: 'deliveryPending' },
  SENDING: { tone: 'info', name: 'deliverySending' },
  DELIVERED: { tone: 'good', name: 'deliveryDone' },
  FAILED: { tone: 'bad', name: 'paymentFailed' },
} as const satisfies Record<WebhookDeliveryStatus, StatusName>

type Row = DeliveryListQuery['webhookDeliveries']['nodes'][number]

const connection = ({ webhookDeliveries }: DeliveryListQuery) => webhookDeliveries
const keyOf = ({ id }: Row) => id

function Deliveries(): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const mayWrite = useMay('webhooks:write')
  const { run, error, pending } = useChange(ReplayDeliveriesDocument, ['settings'])
  const pages = usePages({
    subject: 'settings',
    document: DeliveryListDocument,
    variables: { filters: {} },
    connection,
  })
  const columns = useMemo((): readonly Column<Row>[] => {
    const replay = async ({ id, endpointId }: Row) => {
      if ((await run({ input: { endpointId, deliveryIds: [id] } })) !== null) tell(t('replayed'))
    }
    return [
      {
        id: 'topic',
        title: t('topic'),
        width: 'minmax(10rem, 1.6fr)',
        phone: 'a',
        cell: ({ topic, createdAt }) => (
          <span className="two">
            <span className="strong">{topic}</span>
            <span className="small muted">{dateTime(createdAt)}</span>
          </span>
        ),
      },
      {
        id: 'status',
        title: t('status'),
        width: 'minmax(7rem, 0.8fr)',
        phone: 'b',
        cell: ({ status }) => <StatusBadge status={statuses[status]} />,
      },
      {
        id: 'answer',
        title: t('answer'),
        width: 'minmax(9rem, 1.4fr)',
        phone: 'c',
        cell: ({ responseStatus, error: fault, attemptCount }) => (
          <span className="two">
            <span>{responseStatus ?? fault ?? '–'}</span>
            <span className="small muted">{t('attempts', { count: attemptCount })}</span>
          </span>
        ),
      },
      {
        id: 'again',
        title: t('actions'),
        width: 'minmax(8rem, 0.8fr)',
        end: true,
        phone: 'd',
        cell: (row) =>
          mayWrite && (
            <Button isDisabled={pending} onPress={() => void replay(row)}>
              {t('sendAgain')}
            </Button>
          ),
      },
    ]
    // A change is a new object at each rendering; what it does depends on none of it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [t, dateTime, mayWrite, pending])
  return (
    <>
      {error && <Fault text={reasonOf(error)} />}
      <ListCard
        label={t('deliveries')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        empty={<Empty icon="inbox" title={t('noDeliveries')} text={t('noDeliveriesText')} />}
      />
    </>
  )
}
