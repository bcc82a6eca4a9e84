import type { ReactNode } from 'react'
import { useChange } from '../api/api.ts'
import { DeleteCategoryDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Category } from './use-categories.ts'

interface Props {
  readonly category: Category
  readonly onClose: () => void
}

export function DeleteCategoryDialog({ category: { id, name }, onClose }: Props): ReactNode {
  const t = useText()
  const { run, error, pending } = useChange(DeleteCategoryDocument, ['categories', 'products'])
  const submit = async () => {
    if ((await run({ id })) === null) return
    tell(t('categoryDeleted', { name }))
    onClose()
  }
  return (
    <FormDialog
      title={t('deleteCategory', { name })}
      narrow
      fields={[]}
      error={error}
      submit={t('deleteIt')}
      danger
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('deleteCategoryText')}</p>
    </FormDialog>
  )
}
