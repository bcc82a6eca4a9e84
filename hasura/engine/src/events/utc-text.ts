/**
 * SQL for a time as Hasura's JSON has it: in UTC, with no, three or six digits of a second's fraction. Columns without a zone
 * are of the session's time zone, which Hasura writes and reads them in, too.
 */
export const utcText = (column: string): string =>
  `regexp_replace(to_char(${column}::timestamptz at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '(\\.000000|000)$', '') || 'Z'`

/** Of an event, whose row any session may have written: in UTC, whatever the session's time zone (`insert-event-log.sql`). */
export const eventCreatedAt = "(created_at at time zone 'utc')"
