/**
 * SQL for a time as Hasura's JSON has it: in UTC, with no, three or six digits of a second's fraction. `kind` is the
 * column's type; times without a zone are UTC in Hasura's tables.
 */
export const utcText = (column: string, kind: 'timestamptz' | 'timestamp'): string => {
  const utc = kind === 'timestamptz' ? `${column} at time zone 'utc'` : column
  return `regexp_replace(to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.US'), '(\\.000000|000)$', '') || 'Z'`
}
