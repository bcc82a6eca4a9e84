// Written from sql/ by `npm run generate`. Don't edit.

export type LineRefusal = { readonly field: string; readonly reason: 'unknown_product' | 'product_not_active' | 'unknown_variant' | 'variant_required' | 'currency_mismatch' | 'quantity_too_large' | 'too_many_lines' | 'total_too_large'; readonly currency?: string | null }
