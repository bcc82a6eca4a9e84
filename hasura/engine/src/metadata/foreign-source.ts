const postgresKinds: readonly unknown[] = [undefined, 'postgres', 'pg']

export const isPostgres = ({ kind }: { readonly kind?: unknown }): boolean => postgresKinds.includes(kind)

/**
 * A source of another kind has tables of other shapes, which nothing here reads: it is one without tables, with all that was
 * written of it in `foreign`.
 */
export function foreignSource(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const source = given as Readonly<Record<string, unknown>>
  const { name, kind } = source
  return typeof kind !== 'string' || isPostgres(source) || 'foreign' in source
    ? given
    : { name, kind, tables: [], foreign: given }
}
