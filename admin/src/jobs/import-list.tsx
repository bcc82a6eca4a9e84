import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { ImportListDocument, type ImportPartsFragment } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Progress } from '../ui/progress.tsx'
import { Badge, Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { importStatuses, isEnded, jobPause, recordTypes } from './job-names.ts'

export function ImportList(): ReactNode {
  const t = useText()
  const { data, error, refetch } = useQuery({
    queryKey: ['jobs', 'imports'],
    queryFn: ({ signal }) => ask(ImportListDocument, {}, { signal }),
    refetchInterval: ({ state }) => (state.data?.imports.nodes.every(isEnded) === false ? jobPause : false),
  })
  return (
    <Card>
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : data.imports.nodes.length === 0 ? (
        <Empty icon="upload" title={t('noImports')} text={t('noImportsText')} />
      ) : (
        <ul>
          {data.imports.nodes.map((each) => (
            <ImportRow key={each.id} job={each} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function ImportRow({ job }: { readonly job: ImportPartsFragment }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  return (
    <li className="parcel">
      <div className="between">
        <Link href={`/jobs/imports/${job.id}`} className="strong wrap">
          {job.fileName ??
            t('importOf', { type: job.recordType === null ? '' : t(recordTypes[job.recordType]) })}
        </Link>
        <span className="chips">
          {job.dryRun && <Badge tone="calm">{t('dryRun')}</Badge>}
          <StatusBadge status={importStatuses[job.status]} />
        </span>
      </div>
      <p className="small muted">
        {dateTime(job.createdAt)}
        {job.recordType !== null && ` · ${t(recordTypes[job.recordType])}`} ·{' '}
        {t('importCounts', { imported: job.imported, refused: job.refused })}
      </p>
      <ImportProgress job={job} />
    </li>
  )
}

/** Rows are checked first, and written then. */
export function ImportProgress({ job }: { readonly job: ImportPartsFragment }): ReactNode {
  const t = useText()
  if (job.status === 'CHECKING')
    return <Progress label={t('rowsChecked', { count: job.checked })} share={null} />
  if (job.status === 'WRITING')
    return (
      <Progress
        label={t('rowsWritten', { count: job.written, total: job.rows ?? job.written })}
        share={job.rows === null || job.rows === 0 ? null : job.written / job.rows}
      />
    )
  return null
}
