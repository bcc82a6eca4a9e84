import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { UpdateOrderDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Order } from './order-page.tsx'

interface Props {
  readonly order: Order
  readonly onClose: () => void
}

/** The notes and labels of an order, which can be changed in any state. Saving can be taken back. */
export function NotesDialog({ order, onClose }: Props): ReactNode {
  const t = useText()
  const [notes, setNotes] = useState(order.notes ?? '')
  const [tags, setTags] = useState(order.tags.join(', '))
  const { run, error, pending } = useChange(UpdateOrderDocument, ['orders'])
  const labels = [...new Set(tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
  const submit = async () => {
    const input = { notes: notes === '' ? null : notes, tags: labels }
    if ((await run({ id: order.id, input })) === null) return
    tell(t('saved'), () => void run({ id: order.id, input: { notes: order.notes, tags: order.tags } }))
    onClose()
  }
  return (
    <FormDialog
      title={t('notesAndTags')}
      narrow
      fields={['notes', 'tags']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="notes" label={t('notes')} multiline value={notes} onChange={setNotes} autoFocus />
      <TextField name="tags" label={t('tags')} hint={t('tagsHint')} value={tags} onChange={setTags} />
    </FormDialog>
  )
}
