import { type ReactNode, useMemo } from 'react'
import { useFormat } from '../format/format.ts'
import {
  type AuditActorKind,
  AuditLogDocument,
  type AuditLogQuery,
  type AuditOutcome,
} from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import type { Column } from '../ui/data-table.tsx'
import { Select } from '../ui/fields.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { useFilters } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'

type Row = AuditLogQuery['auditEntries']['nodes'][number]

const outcomes = {
  DONE: { tone: 'good', name: 'outcomeDone' },
  STARTED: { tone: 'info', name: 'outcomeStarted' },
  INVALID: { tone: 'wait', name: 'outcomeInvalid' },
  REFUSED: { tone: 'bad', name: 'outcomeRefused' },
  FAILED: { tone: 'bad', name: 'paymentFailed' },
} as const satisfies Record<AuditOutcome, StatusName>

const actors = {
  USER: 'actorUser',
  KEY: 'actorKey',
  CUSTOMER: 'customer',
  OPERATOR: 'actorOperator',
} as const satisfies Record<AuditActorKind, MessageName>

const connection = ({ auditEntries }: AuditLogQuery) => auditEntries
const keyOf = ({ id }: Row) => id
const filterNames = ['outcome'] as const
const isOutcome = (text: string): text is AuditOutcome => Object.hasOwn(outcomes, text)

/** Who has changed what, and what was refused. */
export function AuditTab(): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const [{ outcome }, change] = useFilters(filterNames)
  const pages = usePages({
    subject: 'settings',
    document: AuditLogDocument,
    variables: { filters: isOutcome(outcome) ? { outcome } : {} },
    connection,
  })
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'operation',
        title: t('operation'),
        width: 'minmax(11rem, 1.6fr)',
        phone: 'a',
        cell: ({ operation, createdAt }) => (
          <span className="two">
            <span className="strong">{operation ?? '–'}</span>
            <span className="small muted">{dateTime(createdAt)}</span>
          </span>
        ),
      },
      {
        id: 'actor',
        title: t('who'),
        width: 'minmax(9rem, 1.2fr)',
        phone: 'c',
        cell: ({ actorKind, actorName }) => (
          <span className="two">
            <span>{actorName ?? t(actors[actorKind])}</span>
            {actorName !== null && <span className="small muted">{t(actors[actorKind])}</span>}
          </span>
        ),
      },
      {
        id: 'outcome',
        title: t('outcome'),
        width: 'minmax(7rem, 0.8fr)',
        phone: 'b',
        cell: ({ outcome: each }) => <StatusBadge status={outcomes[each]} />,
      },
      {
        id: 'from',
        title: t('from'),
        width: 'minmax(8rem, 0.8fr)',
        end: true,
        phone: 'd',
        cell: ({ clientAddress }) => clientAddress ?? '–',
      },
    ],
    [t, dateTime],
  )
  return (
    <ListCard
      label={t('auditLog')}
      columns={columns}
      pages={pages}
      rowKey={keyOf}
      filters={
        <Select
          label={t('outcome')}
          value={outcome}
          onChange={(next) => change({ outcome: next })}
          choices={[
            { id: '', text: t('allOutcomes') },
            ...Object.entries(outcomes).map(([id, { name }]) => ({ id, text: t(name) })),
          ]}
        />
      }
      empty={<Empty icon="scrollText" title={t('nothingFound')} text={t('nothingFoundText')} />}
    />
  )
}
