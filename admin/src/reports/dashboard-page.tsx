import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  DashboardOfDocument,
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
import { EditDashboardDialog } from './edit-dashboard-dialog.tsx'
import { EditWidgetDialog } from './edit-widget-dialog.tsx'
import { ReportView, usePivot } from './report-view.tsx'
import { type Dashboard, type Widget, widgetInput } from './widget-input.ts'

const list = '/reports'

/** What is open over the page. */
type Open =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'editing' }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'widget'; readonly widget: Widget }

const nothing: Open = { kind: 'nothing' }

/** Reports that were kept, as they are now. */
export default function DashboardPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const mayWrite = useMay('analytics:write')
  const [open, setOpen] = useState<Open>(nothing)
  const { data, error, refetch } = useApi('reports', DashboardOfDocument, { id })
  const back = { href: list, text: t('reports') }
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
      lead={dashboard.description ?? undefined}
      back={back}
      actions={mayWrite && <Actions id={id} onOpen={setOpen} />}
    >
      {dashboard.widgets.length === 0 && (
        <Empty icon="inbox" title={t('emptyDashboard')} text={t('emptyDashboardText')} />
      )}
      {dashboard.widgets.map((widget) => (
        <WidgetCard
          key={widget.id}
          widget={widget}
          dashboard={dashboard}
          mayWrite={mayWrite}
          onEdit={() => setOpen({ kind: 'widget', widget })}
        />
      ))}
      <OpenDialog open={open} dashboard={dashboard} onClose={() => setOpen(nothing)} />
    </Page>
  )
}

interface ActionsProps {
  readonly id: string
  readonly onOpen: (open: Open) => void
}

function Actions({ id, onOpen }: ActionsProps): ReactNode {
  const t = useText()
  return (
    <>
      <Link href={`${list}?dashboard=${id}`} className="button">
        {t('addReport')}
      </Link>
      <Button onPress={() => onOpen({ kind: 'editing' })}>{t('edit')}</Button>
      <Button look="quiet" onPress={() => onOpen({ kind: 'deleting' })}>
        {t('delete')}
      </Button>
    </>
  )
}

interface OpenProps {
  readonly open: Open
  readonly dashboard: Dashboard
  readonly onClose: () => void
}

function OpenDialog({ open, dashboard, onClose }: OpenProps): ReactNode {
  const t = useText()
  const [, go] = useLocation()
  const { id, name } = dashboard
  switch (open.kind) {
    case 'nothing':
      return null
    case 'editing':
      return <EditDashboardDialog dashboard={dashboard} onClose={onClose} />
    case 'widget':
      return <EditWidgetDialog widget={open.widget} dashboard={dashboard} onClose={onClose} />
    case 'deleting':
      return (
        <ConfirmDialog
          title={t('deleteDashboard', { name })}
          lead={t('deleteDashboardLead')}
          submit={t('delete')}
          danger
          document={DeleteDashboardDocument}
          variables={{ id }}
          subjects={['reports']}
          done={t('dashboardDeleted', { name })}
          onDone={() => go(list)}
          onClose={onClose}
        />
      )
    default:
      return open satisfies never
  }
}

interface WidgetProps {
  readonly widget: Widget
  readonly dashboard: Dashboard
  readonly mayWrite: boolean
  readonly onEdit: () => void
}

function WidgetCard({ widget, dashboard, mayWrite, onEdit }: WidgetProps): ReactNode {
  const t = useText()
  const shown = usePivot(widget.report, widget)
  const { run, error, pending } = useChange(UpdateDashboardDocument, ['reports'])
  const remove = async () => {
    const widgets = dashboard.widgets.filter(({ id }) => id !== widget.id).map(widgetInput)
    if ((await run({ id: dashboard.id, input: { widgets } })) !== null) tell(t('reportRemoved'))
  }
  return (
    <Card
      title={widget.title}
      actions={
        mayWrite && (
          <span className="chips">
            <Button look="quiet" aria-label={t('editNamed', { name: widget.title })} onPress={onEdit}>
              {t('edit')}
            </Button>
            <Button
              look="quiet"
              isDisabled={pending}
              aria-label={t('removeReport', { name: widget.title })}
              onPress={() => void remove()}
            >
              {t('remove')}
            </Button>
          </span>
        )
      }
    >
      {error !== null && <Fault text={reasonOf(error)} />}
      <p className="small muted">{t('lastDays', { count: widget.lastDays })}</p>
      <ReportView caption={widget.title} pivot={shown} shape={widget} />
    </Card>
  )
}
