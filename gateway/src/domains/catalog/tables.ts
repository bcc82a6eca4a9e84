// The tables of the catalog as its mutations write them, and what several of them share.

import { absent, byId, table, type Table, valueOf } from '../../mutation/rows.ts'
import type { LookUp, Values } from '../../mutation/definition.ts'

export const notDeleted: Values = { deleted_at: { _is_null: true } }
export const productTable = table('catalog_product', { existing: notDeleted, counter: 'price' })
export const variantTable = table('catalog_product_variant', {
  existing: { ...notDeleted, product: notDeleted },
  counter: 'position',
})
export const imageTable = table('catalog_product_image')
export const productCategoryTable = table('catalog_product_category')
export const optionTable = table('catalog_variant_option')
export const categoryTable = table('catalog_category', { counter: 'position' })
export const reviewTable = table('catalog_review')
export const customerTable = table('crm_customer')

export const maxPosition = 2_147_483_647

/** A slug is unique in its table. @param id the record itself, which doesn't count */
export const slugTaken = (
  { name }: Table,
  what: string,
  slug: string | null | undefined,
  id?: string,
): LookUp => absent({ name }, 'slug', valueOf('slug', slug), what, id === undefined ? undefined : byId(id))
