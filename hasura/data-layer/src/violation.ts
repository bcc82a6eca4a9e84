/** Why the database refused a write, by the codes and names of its schema. */
export interface Violation {
  readonly sqlState: string
  readonly constraint: string
  /**
   * True: other rows still reference the row that was to be deleted or changed. False: the referenced row doesn't
   * exist.
   */
  readonly stillReferenced: boolean
  /** JSON that the raising function adds (`platform.violate`); null when it adds none. */
  readonly detail: string | null
}

interface DatabaseProblem {
  readonly sqlState: string
  readonly message: string
  readonly detail: string | undefined
  readonly constraint: string | undefined
}

/**
 * Reads the violation from Postgres's fields, which the engine in this process has. Undefined when no constraint is
 * named.
 */
export const violationOfProblem = ({
  sqlState,
  message,
  detail,
  constraint,
}: DatabaseProblem): Violation | undefined =>
  constraint === undefined
    ? undefined
    : { sqlState, constraint, stillReferenced: isStillReferenced(message), detail: jsonIn(detail) }

/** The text that Hasura puts before Postgres's message, by SQLSTATE. */
const prefixes: readonly (readonly [string, string])[] = [
  ['Uniqueness violation. ', '23505'],
  ['Foreign key violation. ', '23503'],
  ['Check constraint violation. ', '23514'],
  ['Exclusion violation. ', '23P01'],
  ['Can not delete or update due to data being referred. ', '23001'],
]

/**
 * Reads the violation from an error's message, because Hasura sends nothing else over HTTP: `internal`, which has the
 * fields, is only for admins and for errors without a wording of Hasura's. No other code derives a meaning from a text.
 * Undefined when there is none.
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
