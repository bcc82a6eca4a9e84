import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  DashboardOfDocument,
  type DashboardOfQuery,
  DeleteDashboardDocument,
  UpdateDashboardDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { ReportView, usePivot } from './report-view.tsx'

type Dashboard = NonNullable<DashboardOfQuery['dashboard']>
type Widget = Dashboard['widgets'][number]

/** Reports that were kept, as they are now. */
export default function DashboardPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const mayWrite = useMay('analytics:write')
  const [, go] = useLocation()
  const [deleting, setDeleting] = useState(false)
  const { data, error, refetch } = useApi('reports', DashboardOfDocument, { id })
  const back = { href: '/reports', text: t('reports') }
  if (data === undefined)
    return (
      <Page title={t('dashboard')} back={back}>
        {error === null ? <Loading lines={8} /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  const { dashboard } = data
  if (dashboard === null) return <Empty icon="search" title={t('lostTitle')} text={t('lostText')} />
  return (
    <Page
      title={dashboard.name}
      back={back}
      actions={
        mayWrite && (
          <Button look="quiet" onPress={() => setDeleting(true)}>
            {t('delete')}
          </Button>
        )
      }
    >
      {dashboard.widgets.map((widget) => (
        <WidgetCard key={widget.id} widget={widget} dashboard={dashboard} mayWrite={mayWrite} />
      ))}
      {deleting && (
        <ConfirmDialog
          title={t('deleteDashboard', { name: dashboard.name })}
          lead={t('deleteDashboardLead')}
          submit={t('delete')}
          danger
          document={DeleteDashboardDocument}
          variables={{ id }}
          subjects={['reports']}
          done={t('dashboardDeleted', { name: dashboard.name })}
          onDone={() => go(back.href)}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  )
}

/** A widget as the API takes it: a change replaces all widgets of a dashboard. */
const inputOf = ({
  title,
  metrics,
  lastDays,
  interval,
  timeZone,
  groupBy,
  groupLimit,
  currency,
  compare,
}: Widget) => ({
  title,
  metrics: [...metrics],
  lastDays,
  interval,
  timeZone,
  groupBy,
  groupLimit,
  currency,
  compare,
})

interface WidgetProps {
  readonly widget: Widget
  readonly dashboard: Dashboard
  readonly mayWrite: boolean
}

function WidgetCard({ widget, dashboard, mayWrite }: WidgetProps): ReactNode {
  const t = useText()
  const shown = usePivot(widget.report, widget)
  const { run, error, pending } = useChange(UpdateDashboardDocument, ['reports'])
  const remove = async () => {
    const widgets = dashboard.widgets.filter(({ id }) => id !== widget.id).map(inputOf)
    if ((await run({ id: dashboard.id, input: { widgets } })) !== null) tell(t('reportRemoved'))
  }
  return (
    <Card
      title={widget.title}
      actions={
        mayWrite && (
          <Button
            look="quiet"
            isDisabled={pending}
            aria-label={t('removeReport', { name: widget.title })}
            onPress={() => void remove()}
          >
            {t('remove')}
          </Button>
        )
      }
    >
      {error !== null && <Fault text={reasonOf(error)} />}
      <p className="small muted">{t('lastDays', { count: widget.lastDays })}</p>
      <ReportView caption={widget.title} pivot={shown} shape={widget} />
    </Card>
  )
}
