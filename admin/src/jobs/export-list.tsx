import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { ask, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import { CancelExportDocument, ExportListDocument, type ExportListQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Progress } from '../ui/progress.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { exportQueries, subjectOf } from './export-queries.ts'
import { exportStatuses, isEnded, jobPause } from './job-names.ts'

export function ExportList(): ReactNode {
  const t = useText()
  const { data, error, refetch } = useQuery({
    queryKey: ['jobs', 'exports'],
    queryFn: ({ signal }) => ask(ExportListDocument, {}, { signal }),
    refetchInterval: ({ state }) => (state.data?.exports.nodes.every(isEnded) === false ? jobPause : false),
  })
  return (
    <Card>
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : data.exports.nodes.length === 0 ? (
        <Empty icon="download" title={t('noExports')} text={t('noExportsText')} />
      ) : (
        <ul>
          {data.exports.nodes.map((each) => (
            <ExportRow key={each.id} job={each} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function ExportRow({ job }: { readonly job: ExportListQuery['exports']['nodes'][number] }): ReactNode {
  const t = useText()
  const { dateTime, bytes, number } = useFormat()
  const mayCancel = useMay('exports:write')
  const { run, error, pending } = useChange(CancelExportDocument, ['jobs'])
  const subject = subjectOf(job.query)
  const name =
    job.kind === 'CUSTOMER_DATA'
      ? t('customerData')
      : subject === null
        ? t('ownQuery')
        : t(exportQueries[subject].name)
  return (
    <li className="parcel">
      <div className="between">
        <span className="strong">{name}</span>
        <StatusBadge status={exportStatuses[job.status]} />
      </div>
      <p className="small muted">
        {dateTime(job.createdAt)} · {job.format === 'CSV' ? 'CSV' : 'JSON Lines'} ·{' '}
        {t('exportedRows', { count: job.rows })} · {bytes(job.bytes)}
      </p>
      {job.status === 'RUNNING' && (
        <Progress
          label={t('rowsWritten', { count: job.rows, total: number(job.totalRows ?? job.rows) })}
          share={job.totalRows === null || job.totalRows === 0 ? null : job.rows / job.totalRows}
        />
      )}
      {job.failure !== null && <Fault text={job.failure} />}
      {error && <Fault text={reasonOf(error)} />}
      {job.url !== null && (
        <div className="between">
          <a className="button" href={job.url} download>
            <Icon name="download" size={16} /> {t('download')}
          </a>
          {job.expiresAt !== null && (
            <span className="small muted">{t('goneAt', { date: dateTime(job.expiresAt) })}</span>
          )}
        </div>
      )}
      {mayCancel && !isEnded(job) && (
        <div>
          <Button isDisabled={pending} onPress={() => void run({ id: job.id })}>
            {t('cancelExport')}
          </Button>
        </div>
      )}
    </li>
  )
}
