import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { UpdateDashboardDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { NumberField, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { metricsBy } from './metrics.ts'
import { CutFields, FigureFields } from './report-shape-fields.tsx'
import { type Dashboard, type Widget, widgetInput } from './widget-input.ts'

interface Props {
  readonly widget: Widget
  readonly dashboard: Dashboard
  readonly onClose: () => void
}

/** Changes a report that was kept: its title, its days and its figures. */
export function EditWidgetDialog({ widget, dashboard, onClose }: Props): ReactNode {
  const t = useText()
  const [draft, setDraft] = useState(widget)
  const { run, error, pending } = useChange(UpdateDashboardDocument, ['reports'])
  const set = (part: Partial<Widget>) => setDraft({ ...draft, ...part })
  const offered = metricsBy(draft.groupBy)
  const changed = { ...draft, metrics: draft.metrics.filter((metric) => offered.includes(metric)) }
  const place = placeOf(widget, dashboard)
  const name = `widgets.${place}`
  const submit = async () => {
    const widgets = [...dashboard.widgets.slice(0, place), changed, ...dashboard.widgets.slice(place + 1)]
    if ((await run({ id: dashboard.id, input: { widgets: widgets.map(widgetInput) } })) === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={t('editNamed', { name: widget.title })}
      fields={['title', 'lastDays', 'interval', 'groupBy'].map((part) => `${name}.${part}`)}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        name={`${name}.title`}
        label={t('reportTitle')}
        value={draft.title}
        onChange={(title) => set({ title })}
        isRequired
      />
      <div className="columns">
        <NumberField
          name={`${name}.lastDays`}
          label={t('daysUpToNow')}
          value={draft.lastDays}
          onChange={(lastDays) => set(Number.isNaN(lastDays) ? {} : { lastDays })}
          minValue={1}
        />
        <CutFields name={name} shape={changed} onChange={set} />
      </div>
      <FigureFields shape={changed} onChange={set} />
    </FormDialog>
  )
}

/** Somebody else may have changed the dashboard meanwhile, and its widgets are other ones then: the report is added again. */
function placeOf({ id }: Widget, { widgets }: Dashboard): number {
  const place = widgets.findIndex((each) => each.id === id)
  return place === -1 ? widgets.length : place
}
