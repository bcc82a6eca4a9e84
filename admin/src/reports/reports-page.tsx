import { unitsOf } from '../format/money.ts'
import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useApi } from '../api/api.ts'
import { DashboardNamesDocument, ReportOfDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { cellsForFile } from './cells-for-file.ts'
import { saveFile, toCsv } from './csv.ts'
import { dimensions } from './metrics.ts'
import { ReportForm } from './report-form.tsx'
import { useColumnTitle } from './report-table.tsx'
import { ReportView, usePivot } from './report-view.tsx'
import { SaveDialog } from './save-dialog.tsx'
import { useReportQuestion } from './use-report-question.ts'

const nothing = [] as const

/** Asks for a report, shows it, and keeps it. */
export default function ReportsPage(): ReactNode {
  const t = useText()
  const mayWrite = useMay('analytics:write')
  const { timeZone } = useShop()
  const titleOf = useColumnTitle()
  const [question, change] = useReportQuestion()
  const [saving, setSaving] = useState(false)
  const [params] = useSearchParams()
  const { metrics, start, end, interval, groupBy, compare } = question
  const asks = metrics.length > 0
  const { data, error, refetch } = useApi(
    'reports',
    ReportOfDocument,
    { metrics: [...metrics], startDate: start, endDate: end, interval, groupBy, compare },
    { enabled: asks },
  )
  const shown = usePivot(data?.report ?? nothing, question)
  const save = () => {
    const titles = [
      ...(interval === null ? [] : [t('from')]),
      ...(groupBy === null ? [] : [t(dimensions[groupBy])]),
      ...shown.columns.flatMap((column) =>
        compare ? [titleOf(column), `${titleOf(column)} (${t('periodBefore')})`] : [titleOf(column)],
      ),
    ]
    saveFile(
      `report-${start}-${end}.csv`,
      toCsv(
        cellsForFile(shown, {
          titles,
          compares: compare,
          noGroup: groupBy === null ? null : t('noGroup'),
          interval,
          timeZone,
          unitsOf,
        }),
      ),
    )
  }
  return (
    <Page
      title={t('reports')}
      actions={
        <>
          <Button onPress={save} isDisabled={shown.lines.length === 0}>
            {t('asCsv')}
          </Button>
          {mayWrite && (
            <Button look="primary" onPress={() => setSaving(true)} isDisabled={!asks}>
              {t('keepReport')}
            </Button>
          )}
        </>
      }
    >
      <Dashboards />
      <Card title={t('question')}>
        <ReportForm question={question} onChange={change} />
      </Card>
      <Card title={t('answerOfReport')}>
        {!asks ? (
          <Empty icon="inbox" title={t('noFigures')} text={t('noFiguresText')} />
        ) : error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading lines={8} />
        ) : (
          <ReportView caption={t('answerOfReport')} pivot={shown} shape={question} />
        )}
      </Card>
      {saving && (
        <SaveDialog question={question} wanted={params.get('dashboard')} onClose={() => setSaving(false)} />
      )}
    </Page>
  )
}

function Dashboards(): ReactNode {
  const t = useText()
  const dashboards = useApi('reports', DashboardNamesDocument, {}).data?.dashboards.nodes ?? []
  if (dashboards.length === 0) return null
  return (
    <nav className="tabs" aria-label={t('dashboards')}>
      {dashboards.map(({ id, name }) => (
        <Link key={id} href={`/reports/${id}`} className="tab">
          {name}
        </Link>
      ))}
    </nav>
  )
}
