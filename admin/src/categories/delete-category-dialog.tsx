import type { ReactNode } from 'react'
import { DeleteCategoryDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import type { Category } from './use-categories.ts'

interface Props {
  readonly category: Category
  readonly onClose: () => void
}

export function DeleteCategoryDialog({ category: { id, name }, onClose }: Props): ReactNode {
  const t = useText()
  return (
    <ConfirmDialog
      title={t('deleteCategory', { name })}
      lead={t('deleteCategoryText')}
      submit={t('delete')}
      danger
      document={DeleteCategoryDocument}
      variables={{ id }}
      subjects={['categories', 'products']}
      done={t('categoryDeleted', { name })}
      onClose={onClose}
    />
  )
}
