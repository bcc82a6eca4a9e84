const postgresKinds: readonly unknown[] = [undefined, 'postgres', 'pg']

export const isPostgres = ({ kind }: { readonly kind?: unknown }): boolean => postgresKinds.includes(kind)

/**
 * Reads a source of another kind, whose tables have other forms that this engine doesn't read. The result has no
 * tables; `foreign` holds the source as written.
 */
export function foreignSource(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const source = given as Readonly<Record<string, unknown>>
  const { name, kind } = source
  return typeof kind !== 'string' || isPostgres(source) || 'foreign' in source
    ? given
    : { name, kind, tables: [], foreign: given }
}
