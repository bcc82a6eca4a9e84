import { type ReactNode, useState } from 'react'
import { type Document, type Subject, useChange } from '../api/api.ts'
import { Checkbox } from './fields.tsx'
import { FormDialog } from './dialog.tsx'
import { tell } from './toasts.tsx'

interface Props<Data, Variables> {
  readonly title: string
  readonly lead: string
  readonly submit: string
  readonly danger?: boolean
  readonly document: Document<Data, Variables>
  readonly variables: Variables
  /** What is asked again afterwards. */
  readonly subjects: readonly Subject[]
  readonly done: string
  /** After it is done; the dialog is closed when nothing is said. */
  readonly onDone?: () => void
  /** A risk that has to be taken by a tick; the variables then are another one. */
  readonly risk?: { readonly text: string; readonly variables: Variables }
  readonly onClose: () => void
}

/** Asks whether to do what can't be undone, does it, and says that it is done. */
export function ConfirmDialog<Data, Variables>({
  title,
  lead,
  submit,
  danger = false,
  document,
  variables,
  subjects,
  done,
  risk,
  onClose,
  onDone = onClose,
}: Props<Data, Variables>): ReactNode {
  const [taken, setTaken] = useState(false)
  const { run, error, pending } = useChange(document, subjects)
  const send = async () => {
    if ((await run(taken && risk !== undefined ? risk.variables : variables)) === null) return
    tell(done)
    onDone()
  }
  return (
    <FormDialog
      title={title}
      narrow
      fields={[]}
      error={error}
      submit={submit}
      danger={danger}
      pending={pending}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <p>{lead}</p>
      {risk !== undefined && (
        <Checkbox isSelected={taken} onChange={setTaken}>
          {risk.text}
        </Checkbox>
      )}
    </FormDialog>
  )
}
