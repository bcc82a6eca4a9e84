import type { Principal } from '@commerce-graph/auth-webhook'
import { columnName, type MutationArguments } from '@commerce-graph/contract'
import type { UserError } from '@commerce-graph/contract/input'
import { toUuid } from '../projection/filter.ts'
import type { Arguments, LookUp, MutationName, RowsMutation, Statement, Values, Write } from './definition.ts'

export interface Table {
  /** As Hasura calls it: `catalog_product`, its type of the rows and its root field for the list. */
  readonly name: string
  /** Which rows there are for the contract: those not deleted. */
  readonly existing?: Values
  /** An integer column that a shopper or merchant may change, for an update that changes only what hangs on the row. */
  readonly counter?: string
}

export const table = (name: string, options: Pick<Table, 'existing' | 'counter'> = {}): Table => ({
  name,
  ...options,
})

export const insertOne = (on: Table, object: Values): Statement => ({
  root: `insert_${on.name}_one`,
  args: { object: { type: `${on.name}_insert_input!`, value: object } },
  answers: 'row',
  ...writes(on),
})

/** @param where the rows that the statement is about; empty where there is only one, which may have no id */
const writes = (on: Table, where?: Values): Pick<Statement, 'table' | 'readAgain'> => ({
  table: on.name,
  readAgain: (id) => read(on, where !== undefined && Object.keys(where).length === 0 ? where : byId(id)),
})

const read = (on: Table, where: Values): Statement => ({
  root: on.name,
  args: { where: { type: `${on.name}_bool_exp!`, value: { _and: [where, on.existing ?? {}] } } },
  answers: 'query',
  ...writes(on, where),
})

/** No statement at all where there is nothing to insert. */
export const insertMany = (on: Table, objects: readonly Values[]): readonly Statement[] =>
  objects.length === 0
    ? []
    : [
        {
          root: `insert_${on.name}`,
          args: { objects: { type: `[${on.name}_insert_input!]!`, value: objects } },
          answers: 'rows',
          ...writes(on),
        },
      ]

/** Updates the rows that exist and match. Without anything to set it only reads them, or touches them by `counter`. */
export function update(on: Table, where: Values, set: Values, touch = false): Statement {
  const condition = { type: `${on.name}_bool_exp!`, value: { _and: [where, on.existing ?? {}] } }
  if (Object.keys(set).length > 0) {
    return {
      root: `update_${on.name}`,
      args: { where: condition, _set: { type: `${on.name}_set_input!`, value: set } },
      answers: 'rows',
      ...writes(on, where),
    }
  }
  if (touch && on.counter !== undefined) {
    const increment = { type: `${on.name}_inc_input!`, value: { [on.counter]: 0 } }
    return {
      root: `update_${on.name}`,
      args: { where: condition, _inc: increment },
      answers: 'rows',
      ...writes(on, where),
    }
  }
  return read(on, where)
}

export const remove = (on: Table, where: Values): Statement => ({
  root: `delete_${on.name}`,
  args: { where: { type: `${on.name}_bool_exp!`, value: { _and: [where, on.existing ?? {}] } } },
  answers: 'rows',
  ...writes(on, where),
})

export const byId = (id: unknown): Values => ({ id: { _eq: toUuid(id) } })

/** What a synchronisation and the merchant keep with a record: the members of an input, each a column. */
export const keptFields = ['externalId', 'metadata', 'privateMetadata'] as const

/** An id in another system is unique in its table. @param id the record itself, which doesn't count */
export const externalIdTaken = (
  target: LookUpTarget,
  what: string,
  externalId: string | null | undefined,
  id?: string,
): LookUp =>
  absent(
    target,
    'external_id',
    valueOf('externalId', externalId),
    what,
    id === undefined ? undefined : byId(id),
  )

/** The columns of those members that were given, of those named; nulls too, unless `nulls` is 'left out'. */
export function pick<Input extends object>(
  input: Input,
  names: readonly (keyof Input & string)[],
  nulls: 'kept' | 'left out' = 'kept',
): Values {
  const given = names.filter(
    (name) => input[name] !== undefined && (nulls === 'kept' || input[name] !== null),
  )
  return Object.fromEntries(given.map((name) => [columnName(name), input[name]]))
}

/** The fields of Mutation that take an argument `input`. */
type WithInput = {
  [Name in MutationName]: MutationArguments[Name] extends { readonly input: object } ? Name : never
}[MutationName]

type InputOf<Name extends WithInput> = MutationArguments[Name]['input']

interface RowsOf<Name extends WithInput> {
  readonly record: string
  readonly what: string
  /**
   * Checks that the contract's rules can't express: relations between fields, and fields that only some callers may
   * set.
   */
  readonly check?: (
    input: InputOf<Name>,
    principal: Principal,
    args: MutationArguments[Name],
  ) => readonly UserError[]
  readonly lookUps?: (input: InputOf<Name>, args: MutationArguments[Name]) => readonly LookUp[]
  readonly write: (
    input: InputOf<Name>,
    args: MutationArguments[Name],
    principal: Principal,
  ) => Write | Statement
}

/** `createX(input)`. */
export const creation = <Name extends WithInput>(definition: RowsOf<Name>): RowsMutation =>
  rowsMutation(definition, null)

/** `updateX(id, input)`. @param byId false where there is only one record, the merchant's own */
export const change = <Name extends WithInput>(
  definition: RowsOf<Name> & { readonly byId?: boolean },
): RowsMutation => rowsMutation(definition, definition.byId === false ? null : 'id')

function rowsMutation<Name extends WithInput>(
  { record, what, check = () => [], lookUps = () => [], write }: RowsOf<Name>,
  id: 'id' | null,
): RowsMutation {
  // The arguments were coerced by the types of the field that the definition stands under.
  const typed = (args: Arguments) => args as MutationArguments[Name]
  return {
    kind: 'rows',
    record,
    what,
    id,
    input: 'input',
    check: (args, principal) => check(typed(args).input, principal, typed(args)),
    lookUps(args, principal) {
      // A caller who may not set a field may not see its column either.
      const refused = new Set(check(typed(args).input, principal, typed(args)).map(({ field }) => field))
      return lookUps(typed(args).input, typed(args)).map((lookUp) => ({
        ...lookUp,
        values: lookUp.values.filter(({ field }) => !refused.has(field)),
      }))
    },
    write: (args, principal) => asWrite(write(typed(args).input, typed(args), principal)),
  }
}

/** `deleteX(id)`. */
export const deletion = (what: string, write: (id: unknown) => Write | Statement): RowsMutation => ({
  kind: 'rows',
  record: null,
  what,
  id: 'id',
  input: null,
  check: () => [],
  lookUps: () => [],
  write: ({ id }) => asWrite(write(id)),
})

const asWrite = (write: Write | Statement): Write => ('root' in write ? { before: [], record: write } : write)

type LookUpTarget = Pick<Table, 'name' | 'existing'>

/** The values must not be taken yet. @param except rows that don't count, being the record itself */
export function absent(
  { name, existing }: LookUpTarget,
  column: string,
  values: LookUp['values'],
  what: string,
  except?: Values,
): LookUp {
  const where = { _and: [existing ?? {}, ...(except ? [{ _not: except }] : [])] }
  return { table: name, column, expect: 'absent', values, where, what }
}

/** The records with these ids must be there. */
export const present = (
  { name, existing }: LookUpTarget,
  values: LookUp['values'],
  what: string,
): LookUp => ({
  table: name,
  column: 'id',
  expect: 'present',
  values,
  what,
  ...(existing && { where: existing }),
})

/** A look-up's values of one optional field. */
export const valueOf = (field: string, value: string | null | undefined): LookUp['values'] =>
  value == null ? [] : [{ field, value }]

/** A look-up's values of an optional list. */
export const valuesOf = (field: string, values: readonly string[] | null | undefined): LookUp['values'] =>
  (values ?? []).map((value, index) => ({ field: `${field}.${index}`, value }))
