import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { differing } from '../api/differing.ts'
import { UpdateDashboardDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { MoveButtons } from '../ui/move-buttons.tsx'
import { movedBy } from '../ui/moved-by.ts'
import { tell } from '../ui/toasts.tsx'
import { type Dashboard, type Widget, widgetInput } from './widget-input.ts'

interface Props {
  readonly dashboard: Dashboard
  readonly onClose: () => void
}

/** What a dashboard is called, and in which order its reports stand. */
export function EditDashboardDialog({ dashboard, onClose }: Props): ReactNode {
  const t = useText()
  const [loaded] = useState(dashboard)
  const [name, setName] = useState(loaded.name)
  const [description, setDescription] = useState(loaded.description ?? '')
  const [widgets, setWidgets] = useState(loaded.widgets)
  const { run, error, pending } = useChange(UpdateDashboardDocument, ['reports'])
  const submit = async () => {
    const input = {
      ...differing({ name, description: description.trim() === '' ? null : description }, loaded),
      ...(widgets !== loaded.widgets && { widgets: widgets.map(widgetInput) }),
    }
    if (Object.keys(input).length > 0) {
      if ((await run({ id: loaded.id, input })) === null) return
      tell(t('saved'))
    }
    onClose()
  }
  return (
    <FormDialog
      title={t('editNamed', { name: loaded.name })}
      narrow
      fields={['name', 'description']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('dashboardName')} value={name} onChange={setName} isRequired />
      <TextField
        name="description"
        label={t('description')}
        value={description}
        onChange={setDescription}
        multiline
      />
      {widgets.length > 1 && <WidgetOrder widgets={widgets} onChange={setWidgets} />}
    </FormDialog>
  )
}

interface OrderProps {
  readonly widgets: readonly Widget[]
  readonly onChange: (widgets: readonly Widget[]) => void
}

function WidgetOrder({ widgets, onChange }: OrderProps): ReactNode {
  const t = useText()
  return (
    <div>
      <h3>{t('orderOfReports')}</h3>
      <ol>
        {widgets.map(({ id, title }, place) => (
          <li key={id} className="parcel">
            <div className="between">
              <span className="wrap">{title}</span>
              <span className="chips">
                <MoveButtons
                  name={title}
                  place={place}
                  count={widgets.length}
                  onMove={(by) => onChange(movedBy(widgets, place, by))}
                />
              </span>
            </div>
          </li>
        ))}
      </ol>
    </div>
  )
}
