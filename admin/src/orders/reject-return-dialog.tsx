import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { RejectReturnDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Return } from './returns-card.tsx'

interface Props {
  readonly item: Return
  readonly onClose: () => void
}

export function RejectReturnDialog({ item: { id, returnNumber }, onClose }: Props): ReactNode {
  const t = useText()
  const [reason, setReason] = useState('')
  const { run, error, pending } = useChange(RejectReturnDocument, ['orders'])
  const submit = async () => {
    if ((await run({ id, reason })) === null) return
    tell(t('returnIsRejected', { number: returnNumber }))
    onClose()
  }
  return (
    <FormDialog
      title={t('rejectTitle', { number: returnNumber })}
      narrow
      fields={['reason']}
      error={error}
      submit={t('rejectReturn')}
      danger
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        name="reason"
        label={t('reason')}
        hint={t('rejectHint')}
        value={reason}
        onChange={setReason}
        isRequired
        autoFocus
      />
    </FormDialog>
  )
}
