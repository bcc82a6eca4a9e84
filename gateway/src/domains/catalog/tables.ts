// The tables of the catalog as its mutations write them, and what several of them share.

import { invalidValue, requiredField, type UserError } from '@commerce-graph/contract/input'
import { absent, byId, present, table, type Table, valueOf } from '../../mutation/rows.ts'
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
/** Uploaded images that can be shown. */
const fileTable = table('files_file', {
  existing: { purpose: { _eq: 'IMAGE' }, status: { _eq: 'READY' } },
})
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

interface Picture {
  readonly url?: string | null
  readonly fileId?: string | null
}

/** A picture is elsewhere, or an uploaded file. @param path of the input's field, with a dot at its end */
export function pictureFaults({ url, fileId }: Picture, path: string): readonly UserError[] {
  if (url == null && fileId == null) return [requiredField(`${path}url`)]
  return url != null && fileId != null
    ? [invalidValue(`${path}fileId`, 'Give either url or fileId, not both')]
    : []
}

/** The uploaded files of pictures must be images that are ready. */
export const filesPresent = (files: LookUp['values']): LookUp => present(fileTable, files, 'READY image')
