/** What the database refused a write for, by the codes and names that stand in its schema. */
export interface Violation {
  readonly sqlState: string
  readonly constraint: string
  /** A row that others still point at was to go; else what the new row points at isn't there. */
  readonly stillReferenced: boolean
  /** JSON that the raising function gives along (`platform.violate`); null where it gave none. */
  readonly detail: string | null
}

interface DatabaseProblem {
  readonly sqlState: string
  readonly message: string
  readonly detail: string | undefined
  readonly constraint: string | undefined
}

/** From Postgres's own fields, as the engine in this process has them. */
export const violationOfProblem = ({
  sqlState,
  message,
  detail,
  constraint,
}: DatabaseProblem): Violation | undefined =>
  constraint === undefined
    ? undefined
    : { sqlState, constraint, stillReferenced: isStillReferenced(message), detail: jsonIn(detail) }

/** What Hasura puts before Postgres's message, by SQLSTATE. */
const prefixes: readonly (readonly [string, string])[] = [
  ['Uniqueness violation. ', '23505'],
  ['Foreign key violation. ', '23503'],
  ['Check constraint violation. ', '23514'],
  ['Exclusion violation. ', '23P01'],
  ['Can not delete or update due to data being referred. ', '23001'],
]

/**
 * From the message of an error, which is all that Hasura tells over HTTP: `internal`, which has the fields, is for errors that
 * Hasura has no words for, and for admins. This is the only place that reads a meaning out of a text.
 */
export function violationInMessage(message: string): Violation | undefined {
  const sqlState = prefixes.find(([prefix]) => message.startsWith(prefix))?.[1]
  const [, constraint, detail] = /constraint "([^"]+)"(?: (\{.*\}))?/.exec(message) ?? []
  if (sqlState === undefined || constraint === undefined) return undefined
  return { sqlState, constraint, stillReferenced: isStillReferenced(message), detail: jsonIn(detail) }
}

/** Postgres gives both sides of a foreign key the same SQLSTATE and constraint. */
const isStillReferenced = (message: string): boolean => message.includes('update or delete on table')

const jsonIn = (detail: string | undefined): string | null => (detail?.startsWith('{') ? detail : null)
