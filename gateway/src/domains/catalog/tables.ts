// The tables of the catalog as its mutations write them, and what several of them share.

import { absent, byId, table, valueOf } from '../../mutation/rows.ts'
import type { LookUp, Values } from '../../mutation/definition.ts'

export const notDeleted: Values = { deletedAt: { _is_null: true } }
export const productTable = table('Product', 'products', { existing: notDeleted, counter: 'price' })
export const variantTable = table('ProductVariant', 'productVariants', {
  existing: { ...notDeleted, product: notDeleted },
  counter: 'position',
})
export const imageTable = table('ProductImage', 'productImages')
export const productCategoryTable = table('ProductCategory', 'productCategories')
export const optionTable = table('VariantOption', 'variantOptions')
export const categoryTable = table('Category', 'categories', { counter: 'position' })
export const reviewTable = table('Review', 'reviews')
export const customerTable = table('Customer', 'customers')

export const maxPosition = 2_147_483_647
export /** A slug is unique in its table. @param id the record itself, which doesn't count */
const slugTaken = (on: typeof productTable, value: string | null | undefined, id?: string): LookUp =>
  absent(
    { list: on.list, type: on.type },
    'slug',
    valueOf('slug', value),
    on.type,
    id === undefined ? undefined : byId(id),
  )
