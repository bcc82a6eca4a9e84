/**
 * SQL for a time in the form of Hasura's JSON: in UTC, with zero, three or six digits of the second's fraction. Columns
 * without a zone are in the session's time zone, in which Hasura writes and reads them, too.
 */
export const utcText = (column: string): string =>
  `regexp_replace(to_char(${column}::timestamptz at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '(\\.000000|000)$', '') || 'Z'`

/**
 * The time of an event. Any session may have written the row, so it is in UTC regardless of time zone
 * (`insert-event-log.sql`).
 */
export const eventCreatedAt = "(created_at at time zone 'utc')"
