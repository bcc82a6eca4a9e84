import type { Principal } from '@commerce-graph/auth-webhook'
import type { Action, MutationArguments } from '@commerce-graph/contract'
import type { UserError } from '@commerce-graph/contract/input'

/** The name of a field of Mutation. */
export type MutationName = keyof MutationArguments

/** A mutation's arguments, coerced by the contract's types. Absent ones are absent, and null is null. */
export type Arguments = Readonly<Record<string, unknown>>

export type Values = Readonly<Record<string, unknown>>

/**
 * A mutation of the contract. Either Hasura's own mutations write rows, or a Hasura Action with rules of its own
 * runs. Both become one Hasura operation, which also returns the client's selection.
 */
export type MutationDefinition = RowsMutation | ActionMutation | EachMutation

/** A mutation of rows done for each item of a list, each item for itself: what is wrong with one keeps no other from being done. */
export interface EachMutation {
  readonly kind: 'each'
  readonly of: RowsMutation
  /** The field of Mutation whose rules an item is under. */
  readonly as: MutationName
  /** The projection of the payload's records. */
  readonly record: string
  /** The argument that lists the items. */
  readonly list: string
  /** An item as the arguments of `of`. */
  readonly toArgs: (item: Values) => Arguments
}

export interface RowsMutation {
  readonly kind: 'rows'
  /** The projection of the payload's record; null for a deletion, whose payload has `success` instead. */
  readonly record: string | null
  /** Checks the input beyond the contract's rules, as far as that is possible without the database. */
  readonly check: (args: Arguments, principal: Principal) => readonly UserError[]
  /**
   * The checks that need the database. They run only if the input has an error, so that the client gets all errors at
   * once.
   */
  readonly lookUps: (args: Arguments, principal: Principal) => readonly LookUp[]
  /** The statements, run in order in one transaction; the last one writes (or deletes) the record. */
  readonly write: (args: Arguments, principal: Principal) => Write
  /** The name of the record in messages: `Product`. */
  readonly what: string
  /** The argument that names the record to change; null where one is made or there is only one. */
  readonly id: string | null
  /** The argument that holds the fields which errors name. */
  readonly input: string | null
}

export interface Write {
  /** The statements that run before the record's own. */
  readonly before: readonly Statement[]
  readonly record: Statement
  /** Session variables that triggers of the database look for, beside the caller's own. */
  readonly session?: Readonly<Record<`x-hasura-${string}`, string>>
}

/** A root field of a Hasura mutation. */
export interface Statement {
  readonly root: string
  readonly args: Readonly<Record<string, StatementArgument>>
  /** `insert_one` answers the row; the others `{ affected_rows returning }`; a query answers a list. */
  readonly answers: 'row' | 'rows' | 'query'
  /** The table of the rows as Hasura calls it. */
  readonly table: string
  /** Reads the row that it wrote, later. @param id as the database recorded it */
  readonly readAgain: (id: string) => Statement
}

interface StatementArgument {
  /** Hasura's type: `catalog_product_insert_input!`. */
  readonly type: string
  readonly value: unknown
}

/** Values of the input that must be absent from a table, or present in it. */
export interface LookUp {
  /** As Hasura calls it, e.g. `catalog_product`. */
  readonly table: string
  readonly column: string
  readonly expect: 'absent' | 'present'
  readonly values: readonly { readonly field: string; readonly value: string }[]
  /** Which of the rows count, e.g. those not deleted. */
  readonly where?: Values
  /** The name of a row in messages. */
  readonly what: string
}

/** The action has the name of the mutation, checks its own input, and answers `UserError`s; nothing of that is done twice. */
export interface ActionMutation extends Action {
  readonly kind: 'action'
}

/** Declares a mutation of many rows. Errors name their item: `inputs.3.price`. */
export function each(of: RowsMutation, { as, toArgs }: Pick<EachMutation, 'as' | 'toArgs'>): EachMutation {
  if (of.record === null) throw new Error('a mutation of each item answers records')
  return { kind: 'each', of, as, record: of.record, list: 'inputs', toArgs }
}
