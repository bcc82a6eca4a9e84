import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { ask, useApi, useChange } from '../api/api.ts'
import {
  CreateDashboardDocument,
  DashboardNamesDocument,
  UpdateDashboardDocument,
  WidgetsOfDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { ReportQuestion } from './use-report-question.ts'

interface Props {
  readonly question: ReportQuestion
  /** The dashboard that is offered first; null: a new one. */
  readonly wanted: string | null
  readonly onClose: () => void
}

const newOne = 'new'

/** Keeps a report on a dashboard, which shows it of as many days up to the present one. */
export function SaveDialog({ question, wanted, onClose }: Props): ReactNode {
  const t = useText()
  const [, go] = useLocation()
  const [title, setTitle] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  /** Behind how many others it is put. */
  const [before, setBefore] = useState(0)
  const [name, setName] = useState('')
  const dashboards = useApi('reports', DashboardNamesDocument, {}).data?.dashboards.nodes ?? []
  const place = chosen ?? dashboards.find(({ id }) => id === wanted)?.id ?? newOne
  const creation = useChange(CreateDashboardDocument, ['reports'])
  const change = useChange(UpdateDashboardDocument, ['reports'])
  const { metrics, start, end, interval, groupBy, compare } = question
  const lastDays = Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1
  const widget = { title, metrics: [...metrics], lastDays, interval, groupBy, compare }
  const report = `widgets.${before}`
  const submit = async () => {
    if (place === newOne) {
      setBefore(0)
      const made = await creation.run({ input: { name, widgets: [widget] } })
      const id = made?.createDashboard?.dashboard?.id
      if (id === undefined) return
      tell(t('reportKept'))
      go(`/reports/${id}`)
      return
    }
    const widgets = (await ask(WidgetsOfDocument, { id: place })).dashboard?.widgets ?? []
    setBefore(widgets.length)
    if ((await change.run({ id: place, input: { widgets: [...widgets, widget] } })) === null) return
    tell(t('reportKept'))
    go(`/reports/${place}`)
  }
  return (
    <FormDialog
      title={t('keepReport')}
      narrow
      fields={['name', `${report}.title`]}
      error={creation.error ?? change.error}
      submit={t('save')}
      pending={creation.pending || change.pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('keepLead', { count: lastDays })}</p>
      <TextField
        name={`${report}.title`}
        label={t('reportTitle')}
        value={title}
        onChange={setTitle}
        isRequired
        autoFocus
      />
      <Select
        label={t('dashboard')}
        value={place}
        onChange={setChosen}
        choices={[
          { id: newOne, text: t('newDashboard') },
          ...dashboards.map(({ id, name: text }) => ({ id, text })),
        ]}
      />
      {place === newOne && (
        <TextField name="name" label={t('dashboardName')} value={name} onChange={setName} isRequired />
      )}
    </FormDialog>
  )
}
