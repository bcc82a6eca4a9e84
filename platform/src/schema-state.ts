/** How the database stands to what this version needs. */
export type SchemaState =
  | { readonly kind: 'fits' }
  /** It has been migrated for a later version, which keeps the parts that this one uses (docs/upgrading.md). */
  | { readonly kind: 'newer'; readonly than: string }
  | { readonly kind: 'lacks'; readonly what: string }
