// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { rowsOf } from '../answer-of.ts'

export type LineRefusal = { readonly field: string; readonly reason: 'unknown_product' | 'product_not_active' | 'unknown_variant' | 'variant_required' | 'currency_mismatch' | 'quantity_too_large' | 'too_many_lines' | 'total_too_large'; readonly currency?: string | null }

export interface ImportCategoriesArguments {
  readonly merchantId: MerchantId
  readonly importId: string
  readonly batch: object
  readonly update: boolean
}

export type ImportCategoriesAnswer = { readonly id: string; readonly outcome: 'imported' | 'unchanged' | 'refused'; readonly field: string | null; readonly reason: string | null }

/** `catalog.import_categories`: Writes categories of another system. One is here already when a row of the same external id was imported, or else when there is one at the row's path; p_update says whether it gets the row's fields. One that a path of this import has made gets them in any case.  */
export const importCategories = (sql: Queryable, args: ImportCategoriesArguments): Promise<readonly ImportCategoriesAnswer[]> =>
  rowsOf<ImportCategoriesAnswer>(sql`SELECT id AS "id", outcome AS "outcome", field AS "field", reason AS "reason" FROM catalog.import_categories(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid,
      p_batch => ${jsonOf(sql, args.batch)}::jsonb,
      p_update => ${args.update}::boolean
    )`)

export interface ImportProductsArguments {
  readonly merchantId: MerchantId
  readonly importId: string
  readonly batch: object
  readonly update: boolean
  readonly checkOnly: boolean
}

export type ImportProductsAnswer = { readonly id: string; readonly outcome: 'imported' | 'unchanged' | 'refused'; readonly field: string | null; readonly reason: string | null }

/** `catalog.import_products`: Writes products of another system, with pictures, variants, categories and stock. p_batch has a list for each; its rows name the product's row by `product`. A product is here already when a row of the same external id was imported, or else when it has the row's SKU; p_update says whether it gets the row's fields. Within a batch no SKU and no external id comes twice. p_check_only: the caller rolls all of it back. What can refuse no product is then left out: the search, the categories and the sums of variants.  */
export const importProducts = (sql: Queryable, args: ImportProductsArguments): Promise<readonly ImportProductsAnswer[]> =>
  rowsOf<ImportProductsAnswer>(sql`SELECT id AS "id", outcome AS "outcome", field AS "field", reason AS "reason" FROM catalog.import_products(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid,
      p_batch => ${jsonOf(sql, args.batch)}::jsonb,
      p_update => ${args.update}::boolean,
      p_check_only => ${args.checkOnly}::boolean
    )`)

export interface ImportReviewsArguments {
  readonly merchantId: MerchantId
  readonly batch: object
  readonly importId: string | null
}

export type ImportReviewsAnswer = { readonly id: string; readonly outcome: 'imported' | 'unchanged' | 'refused'; readonly field: string | null; readonly reason: string | null }

/** `catalog.import_reviews`: Writes reviews of another system. p_import_id names an import that is only checked: its rows may be about products of rows before them.  */
export const importReviews = (sql: Queryable, args: ImportReviewsArguments): Promise<readonly ImportReviewsAnswer[]> =>
  rowsOf<ImportReviewsAnswer>(sql`SELECT id AS "id", outcome AS "outcome", field AS "field", reason AS "reason" FROM catalog.import_reviews(
      p_merchant_id => ${args.merchantId}::uuid,
      p_batch => ${jsonOf(sql, args.batch)}::jsonb,
      p_import_id => ${args.importId}::uuid
    )`)
