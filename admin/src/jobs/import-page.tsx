import { type ReactNode, useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { ask, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  CancelImportDocument,
  ImportDetailDocument,
  ImportErrorsDocument,
  type ImportErrorsQuery,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Fault } from '../ui/dialog.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { ImportProgress } from './import-list.tsx'
import { importStatuses, isEnded, jobPause, recordTypes } from './job-names.ts'

/** An import with its progress, and with why each refused row is refused. */
export default function ImportPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const mayCancel = useMay('imports:write')
  const cancel = useChange(CancelImportDocument, ['jobs'])
  const { data, error, refetch } = useQuery({
    queryKey: ['jobs', 'import', id],
    queryFn: ({ signal }) => ask(ImportDetailDocument, { id }, { signal }),
    refetchInterval: ({ state }) => (state.data?.import && !isEnded(state.data.import) ? jobPause : false),
  })
  const back = { href: '/jobs', text: t('jobs') }
  const job = data?.import
  if (job === undefined || job === null)
    return (
      <Page title={t('import')} back={back}>
        <div className="card">
          {error ? (
            <Failed error={error} retry={() => void refetch()} />
          ) : job === null ? (
            <Empty icon="search" title={t('noSuchImport')} text={t('noSuchOrderText')} />
          ) : (
            <Loading />
          )}
        </div>
      </Page>
    )
  return (
    <Page
      title={job.fileName ?? t('import')}
      lead={dateTime(job.createdAt)}
      back={back}
      badges={
        <>
          <StatusBadge status={importStatuses[job.status]} />
          {job.dryRun && <Badge tone="calm">{t('dryRun')}</Badge>}
        </>
      }
      actions={
        mayCancel &&
        !isEnded(job) && (
          <Button isDisabled={cancel.pending} onPress={() => void cancel.run({ id })}>
            {t('cancelImport')}
          </Button>
        )
      }
    >
      {cancel.error && <Fault text={reasonOf(cancel.error)} />}
      {job.failure !== null && <Fault text={job.failure} />}
      <Card title={t('rows')}>
        <ImportProgress job={job} />
        <dl className="facts">
          <dt>{job.dryRun ? t('wouldBeImported') : t('imported')}</dt>
          <dd className="number strong">{job.imported}</dd>
          <dt>{t('unchanged')}</dt>
          <dd className="number">{job.unchanged}</dd>
          <dt>{t('refusedRows')}</dt>
          <dd className="number">{job.refused}</dd>
        </dl>
      </Card>
      {job.refused > 0 && <ErrorsCard id={id} refused={job.refused} />}
    </Page>
  )
}

type ImportFault = NonNullable<ImportErrorsQuery['import']>['errors']['nodes'][number]

const none = { nodes: [], totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null } }
const connection = (data: ImportErrorsQuery) => data.import?.errors ?? none
const keyOf = (fault: ImportFault) => fault.id

function ErrorsCard({ id, refused }: { readonly id: string; readonly refused: number }): ReactNode {
  const t = useText()
  const pages = usePages({
    subject: 'jobs',
    document: ImportErrorsDocument,
    // The list grows while the rows are checked.
    variables: useMemo(() => ({ id, refused }), [id, refused]),
    connection,
  })
  const columns = useMemo(
    (): readonly Column<ImportFault>[] => [
      {
        id: 'line',
        title: t('line'),
        width: 'minmax(4rem, 0.4fr)',
        phone: 'a',
        cell: ({ line }) => <span className="strong">{t('lineNumber', { number: line })}</span>,
      },
      {
        id: 'key',
        title: t('record'),
        width: 'minmax(8rem, 1fr)',
        phone: 'b',
        cell: ({ key, recordType }) =>
          [recordType === null ? null : t(recordTypes[recordType]), key].filter(Boolean).join(' · '),
      },
      {
        id: 'field',
        title: t('field'),
        width: 'minmax(7rem, 0.8fr)',
        phone: 'd',
        cell: ({ field }) => field || '–',
      },
      {
        id: 'message',
        title: t('whatIsWrong'),
        width: 'minmax(14rem, 2.4fr)',
        phone: 'c',
        cell: ({ message }) => <span title={message}>{message}</span>,
      },
    ],
    [t],
  )
  return (
    <ListCard
      label={t('refusedRows')}
      columns={columns}
      pages={pages}
      rowKey={keyOf}
      empty={<Empty icon="circleCheck" title={t('nothingFound')} text={t('nothingFoundText')} />}
    />
  )
}
