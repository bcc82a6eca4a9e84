import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask, useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { CustomerDataExportDocument, ExportCustomerDataDocument } from '../generated/operations.ts'
import { isEnded, jobPause } from '../jobs/job-names.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, Fault, FormDialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Progress } from '../ui/progress.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import type { Customer } from './customer-page.tsx'

interface Props {
  readonly customer: Customer
  readonly onClose: () => void
}

/** Writes all that is stored about a customer into a file, and offers it when it is whole. */
export function DataExportDialog({ customer: { id, name }, onClose }: Props): ReactNode {
  const t = useText()
  const [exportId, setExportId] = useState<string | null>(null)
  const { run, error, pending } = useChange(ExportCustomerDataDocument, ['jobs'])
  const begin = async () => {
    const begun = (await run({ customerId: id }))?.exportCustomerData?.export
    if (begun != null) setExportId(begun.id)
  }
  const title = t('exportDataTitle', { name })
  if (exportId !== null)
    return (
      <Dialog title={title} narrow onClose={onClose}>
        <div className="body" role="status">
          <Running id={exportId} />
        </div>
        <footer>
          <Button onPress={onClose}>{t('done')}</Button>
        </footer>
      </Dialog>
    )
  return (
    <FormDialog
      title={title}
      narrow
      fields={[]}
      error={error}
      submit={t('exportData')}
      pending={pending}
      onSubmit={() => void begin()}
      onClose={onClose}
    >
      <p>{t('exportDataLead')}</p>
      <p className="muted">{t('exportDataLink')}</p>
    </FormDialog>
  )
}

/** How far the export is, and its file. */
function Running({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { bytes, dateTime } = useFormat()
  const { data, error, refetch } = useQuery({
    queryKey: ['jobs', 'customer data', id],
    queryFn: ({ signal }) => ask(CustomerDataExportDocument, { id }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.export != null && isEnded(state.data.export) ? false : jobPause,
  })
  if (error) return <Failed error={error} retry={() => void refetch()} />
  const job = data?.export
  if (job == null) return <Loading lines={2} />
  if (job.url !== null)
    return (
      <>
        <p>{t('dataIsReady', { count: job.rows })}</p>
        <div className="between">
          <a className="button primary" href={job.url} download>
            <Icon name="download" size={16} /> {t('downloadData', { size: bytes(job.bytes) })}
          </a>
          {job.expiresAt !== null && (
            <span className="small muted">{t('goneAt', { date: dateTime(job.expiresAt) })}</span>
          )}
        </div>
      </>
    )
  if (isEnded(job)) return <Fault text={job.failure ?? t('jobFailed')} />
  return (
    <>
      <Progress label={t('dataIsWritten')} share={null} />
      <p className="small muted">{t('dataGoesOn')}</p>
    </>
  )
}
