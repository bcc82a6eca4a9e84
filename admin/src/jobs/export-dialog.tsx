import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { useChange } from '../api/api.ts'
import { CreateExportDocument, type ExportFormat } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Select } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { exportQueries, type ExportSubject } from './export-queries.ts'

/** Begins an export of all records of a kind. */
export function ExportDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const { permissions } = useShop()
  const [, navigate] = useLocation()
  const subjects = Object.entries(exportQueries).filter(([, each]) =>
    each.permissions.every((permission) => permissions.has(permission)),
  )
  const [subject, setSubject] = useState(subjects[0]?.[0] ?? '')
  const [format, setFormat] = useState<ExportFormat>('CSV')
  const { run, error, pending } = useChange(CreateExportDocument, ['jobs'])
  const submit = async () => {
    const { query } = exportQueries[subject as ExportSubject]
    if ((await run({ input: { query, format } })) === null) return
    tell(t('exportBegun'))
    navigate('/jobs/exports')
    onClose()
  }
  return (
    <FormDialog
      title={t('newExport')}
      narrow
      fields={['format']}
      error={error}
      submit={t('startExport')}
      pending={pending}
      disabled={subject === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Select
        label={t('exportWhat')}
        value={subject}
        onChange={setSubject}
        choices={subjects.map(([id, { name }]) => ({ id, text: t(name) }))}
      />
      <Select
        name="format"
        label={t('format')}
        hint={t('formatHint')}
        value={format}
        onChange={(next) => setFormat(next === 'CSV' ? 'CSV' : 'JSON_LINES')}
        choices={[
          { id: 'CSV', text: 'CSV' },
          { id: 'JSON_LINES', text: 'JSON Lines' },
        ]}
      />
    </FormDialog>
  )
}
