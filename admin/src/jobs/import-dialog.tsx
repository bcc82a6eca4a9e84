import { type RequestError, RequestFailed } from '@commerce-graph/client'
import { type ReactNode, useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { useLocation } from 'wouter'
import { askAgain, change } from '../api/api.ts'
import { uploadFile } from '../files/upload-file.ts'
import { useFormat } from '../format/format.ts'
import { CreateImportDocument, type ImportRecordType, StartImportDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { Checkbox, Select } from '../ui/fields.tsx'
import { Progress } from '../ui/progress.tsx'
import { recordTypes } from './job-names.ts'

interface Sending {
  readonly share: number | null
  readonly error: RequestError | null
  readonly fault: string | null
}

const isCsv = ({ name }: File): boolean => /\.csv$/i.test(name)
const isType = (text: string): text is ImportRecordType => Object.hasOwn(recordTypes, text)

/** Uploads a file of rows, and has it read. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const { bytes } = useFormat()
  const [, navigate] = useLocation()
  const [file, setFile] = useState<File | null>(null)
  const [recordType, setRecordType] = useState<ImportRecordType>('PRODUCT')
  const [dryRun, setDryRun] = useState(true)
  const [updates, setUpdates] = useState(false)
  const [sending, setSending] = useState<Sending | null>(null)
  const isSending = sending !== null && sending.error === null && sending.fault === null
  const send = async (chosen: File) => {
    const { createImport } = await change(CreateImportDocument, {
      input: {
        format: isCsv(chosen) ? 'CSV' : 'JSON_LINES',
        recordType,
        fileName: chosen.name,
        fileSize: chosen.size,
        dryRun,
        onExisting: updates ? 'UPDATE' : 'SKIP',
      },
    })
    const { import: job, upload } = createImport ?? {}
    if (job == null || upload == null) throw new Error(t('notReached'))
    await uploadFile({ ...upload, method: 'PUT' }, chosen, {
      onProgress: (share) => setSending({ share, error: null, fault: null }),
    })
    await change(StartImportDocument, { id: job.id })
    await askAgain(['jobs'])
    navigate(`/jobs/imports/${job.id}`)
  }
  const submit = async () => {
    if (file === null) return
    setSending({ share: 0, error: null, fault: null })
    try {
      await send(file)
    } catch (error) {
      const refusal = error instanceof RequestFailed ? error.error : null
      setSending({
        share: null,
        error: refusal,
        fault: refusal === null ? (error as Error).message : null,
      })
    }
  }
  return (
    <FormDialog
      title={t('newImport')}
      fields={['fileName', 'recordType']}
      error={sending?.error ?? null}
      submit={dryRun ? t('checkRows') : t('startImport')}
      pending={isSending}
      disabled={file === null}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {sending?.fault != null && <Fault text={sending.fault} />}
      <p className="muted">{t('importLead')}</p>
      <div className="between">
        <span className="wrap">
          {file === null ? (
            <span className="muted">{t('noFile')}</span>
          ) : (
            <>
              <span className="strong">{file.name}</span>{' '}
              <span className="small muted">{bytes(file.size)}</span>
            </>
          )}
        </span>
        <FileTrigger
          acceptedFileTypes={['.csv', '.jsonl', '.ndjson', 'text/csv']}
          onSelect={(files) => setFile(files?.[0] ?? null)}
        >
          <Button icon="upload">{t('chooseFile')}</Button>
        </FileTrigger>
      </div>
      <Select
        name="recordType"
        label={t('rowsAre')}
        value={recordType}
        onChange={(next) => isType(next) && setRecordType(next)}
        choices={Object.entries(recordTypes).map(([id, name]) => ({ id, text: t(name) }))}
      />
      <Checkbox isSelected={dryRun} onChange={setDryRun}>
        {t('onlyCheck')}
      </Checkbox>
      <Checkbox isSelected={updates} onChange={setUpdates}>
        {t('updateExisting')}
      </Checkbox>
      {isSending && <Progress label={t('uploading')} share={sending.share} />}
    </FormDialog>
  )
}
