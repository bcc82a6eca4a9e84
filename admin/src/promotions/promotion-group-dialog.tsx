import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CreatePromotionGroupDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'

interface Props {
  readonly onClose: () => void
  readonly onCreated: (id: string) => void
}

/** A new group, which the promotion belongs to from then on. */
export function PromotionGroupDialog({ onClose, onCreated }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState('')
  const { run, error, pending } = useChange(CreatePromotionGroupDocument, ['promotions'])
  const submit = async () => {
    const id = (await run({ input: { name } }))?.createPromotionCampaign?.campaign?.id
    if (id === undefined) return
    onCreated(id)
    onClose()
  }
  return (
    <FormDialog
      title={t('newGroup')}
      narrow
      fields={['name']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired />
    </FormDialog>
  )
}
