import './categories.css'
import { type ReactNode, useState } from 'react'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { CategoryDialog } from './category-dialog.tsx'
import { CategoryTree } from './category-tree-view.tsx'
import { DeleteCategoryDialog } from './delete-category-dialog.tsx'
import { type Category, useCategories } from './use-categories.ts'

type Asking =
  | { readonly kind: 'new'; readonly parent: Category | null }
  | { readonly kind: 'edit'; readonly category: Category }
  | { readonly kind: 'delete'; readonly category: Category }

/** The tree of categories, which is ordered by dragging. */
export default function CategoriesPage(): ReactNode {
  const t = useText()
  const mayWrite = useMay('products:write')
  const { data, error, refetch } = useCategories()
  const [asking, setAsking] = useState<Asking | null>(null)
  const close = () => setAsking(null)
  const add = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setAsking({ kind: 'new', parent: null })}>
      {t('newCategory')}
    </Button>
  )
  return (
    <Page
      title={t('categories')}
      lead={mayWrite ? t('categoriesLead') : undefined}
      back={{ href: '/products', text: t('products') }}
      narrow
      actions={data !== undefined && data.length > 0 && add}
    >
      <Card>
        {error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading lines={6} />
        ) : data.length === 0 ? (
          <Empty icon="folderTree" title={t('noCategories')} text={t('noCategoriesText')}>
            {add}
          </Empty>
        ) : (
          <CategoryTree
            categories={data}
            onAdd={(parent) => setAsking({ kind: 'new', parent })}
            onEdit={(category) => setAsking({ kind: 'edit', category })}
            onDelete={(category) => setAsking({ kind: 'delete', category })}
          />
        )}
      </Card>
      {asking?.kind === 'new' && (
        <CategoryDialog category={null} parent={asking.parent} categories={data ?? []} onClose={close} />
      )}
      {asking?.kind === 'edit' && (
        <CategoryDialog category={asking.category} parent={null} categories={data ?? []} onClose={close} />
      )}
      {asking?.kind === 'delete' && <DeleteCategoryDialog category={asking.category} onClose={close} />}
    </Page>
  )
}
