import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { ExportList } from './export-list.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { ImportList } from './import-list.tsx'

/** Files with many records, in and out. */
export default function JobsPage({ tab }: { readonly tab: string | undefined }): ReactNode {
  const t = useText()
  const seesImports = useMay('imports:read')
  const seesExports = useMay('exports:read')
  const mayImport = useMay('imports:write')
  const mayExport = useMay('exports:write')
  const [asking, setAsking] = useState<'import' | 'export' | null>(null)
  const shown = tab === 'exports' || !seesImports ? 'exports' : 'imports'
  const close = () => setAsking(null)
  return (
    <Page
      title={t('jobs')}
      lead={t('jobsLead')}
      actions={
        <>
          {mayImport && (
            <Button icon="upload" onPress={() => setAsking('import')}>
              {t('newImport')}
            </Button>
          )}
          {mayExport && (
            <Button icon="download" onPress={() => setAsking('export')}>
              {t('newExport')}
            </Button>
          )}
        </>
      }
    >
      {seesImports && seesExports && (
        <nav className="tabs" aria-label={t('jobs')}>
          <Link href="/jobs" className="tab" aria-current={shown === 'imports' ? 'page' : undefined}>
            {t('imports')}
          </Link>
          <Link href="/jobs/exports" className="tab" aria-current={shown === 'exports' ? 'page' : undefined}>
            {t('exports')}
          </Link>
        </nav>
      )}
      {shown === 'imports' ? <ImportList /> : <ExportList />}
      {asking === 'import' && <ImportDialog onClose={close} />}
      {asking === 'export' && <ExportDialog onClose={close} />}
    </Page>
  )
}
