import type { Principal } from '@commerce-graph/auth-webhook'
import { requiredField, type UserError } from '@commerce-graph/contract/input'
import { toUuid } from '../projection/filter.ts'
import type { Arguments, LookUp, RowsMutation, Statement, Values, Write } from './definition.ts'
import { checkFields, type Fields, nullsIn } from './rules.ts'

/** A table as its mutations in Hasura are called. */
export interface Table {
  /** Hasura's type of the rows. */
  readonly type: string
  /** Hasura's root field for the list. */
  readonly list: string
  readonly insertOne: string
  readonly insertMany: string
  readonly update: string
  readonly delete: string
  /** Which rows there are for the contract: those not deleted. */
  readonly existing?: Values
  /** An integer column that a shopper or merchant may change, for an update that changes only what hangs on the row. */
  readonly counter?: string
}

/** Names follow the metadata: `insertProduct`, `insertProducts`, `updateProducts`, `deleteProducts`. */
export function table(type: string, list: string, options: Pick<Table, 'existing' | 'counter'> = {}): Table {
  const many = `${list[0]?.toUpperCase() ?? ''}${list.slice(1)}`
  return {
    type,
    list,
    insertOne: `insert${type}`,
    insertMany: `insert${many}`,
    update: `update${many}`,
    delete: `delete${many}`,
    ...options,
  }
}

export const insertOne = (on: Table, object: Values): Statement => ({
  root: on.insertOne,
  args: { object: { type: `${on.type}_insert_input!`, value: object } },
  answers: 'row',
  ...writes(on),
})

/** @param where the rows that the statement is about; empty where there is only one, which may have no id */
const writes = (on: Table, where?: Values): Pick<Statement, 'type' | 'readAgain'> => ({
  type: on.type,
  readAgain: (id) => read(on, where !== undefined && Object.keys(where).length === 0 ? where : byId(id)),
})

const read = (on: Table, where: Values): Statement => ({
  root: on.list,
  args: { where: { type: `${on.type}_bool_exp!`, value: { _and: [where, on.existing ?? {}] } } },
  answers: 'query',
  ...writes(on, where),
})

/** No statement at all where there is nothing to insert. */
export const insertMany = (on: Table, objects: readonly Values[]): readonly Statement[] =>
  objects.length === 0
    ? []
    : [
        {
          root: on.insertMany,
          args: { objects: { type: `[${on.type}_insert_input!]!`, value: objects } },
          answers: 'rows',
          ...writes(on),
        },
      ]

/** Updates the rows that exist and match. Without anything to set it only reads them, or touches them by `counter`. */
export function update(on: Table, where: Values, set: Values, touch = false): Statement {
  const condition = { type: `${on.type}_bool_exp!`, value: { _and: [where, on.existing ?? {}] } }
  if (Object.keys(set).length > 0) {
    return {
      root: on.update,
      args: { where: condition, _set: { type: `${on.type}_set_input!`, value: set } },
      answers: 'rows',
      ...writes(on, where),
    }
  }
  if (touch && on.counter !== undefined) {
    const increment = { type: `${on.type}_inc_input!`, value: { [on.counter]: 0 } }
    return {
      root: on.update,
      args: { where: condition, _inc: increment },
      answers: 'rows',
      ...writes(on, where),
    }
  }
  return read(on, where)
}

export const remove = (on: Table, where: Values): Statement => ({
  root: on.delete,
  args: { where: { type: `${on.type}_bool_exp!`, value: { _and: [where, on.existing ?? {}] } } },
  answers: 'rows',
  ...writes(on, where),
})

export const byId = (id: unknown): Values => ({ id: { _eq: toUuid(id) } })

/** The members that were given, of those named; nulls too, unless `nulls` is 'left out'. */
export function pick(input: Values, names: readonly string[], nulls: 'kept' | 'left out' = 'kept'): Values {
  const given = names.filter(
    (name) => input[name] !== undefined && (nulls === 'kept' || input[name] !== null),
  )
  return Object.fromEntries(given.map((name) => [name, input[name]]))
}

interface Creation<Input> {
  readonly record: string
  readonly what: string
  readonly rules: Fields
  readonly check?: (input: Input, principal: Principal, args: Arguments) => readonly UserError[]
  readonly lookUps?: (input: Input, args: Arguments) => readonly LookUp[]
  readonly write: (input: Input, args: Arguments, principal: Principal) => Write | Statement
}

/** `createX(input)`. */
export function creation<Input extends object>({
  record,
  what,
  ...definition
}: Creation<Input>): RowsMutation {
  const { rules, check = () => [], lookUps = () => [], write } = definition
  return {
    kind: 'rows',
    record,
    what,
    id: null,
    input: 'input',
    check: (args, principal) => [
      ...checkFields(rules, inputOf(args)),
      ...check(inputOf(args) as Input, principal, args),
    ],
    lookUps: (args) => lookUps(inputOf(args) as Input, args),
    write: (args, principal) => asWrite(write(inputOf(args) as Input, args, principal)),
  }
}

interface Change<Input> {
  readonly record: string
  readonly what: string
  readonly rules: Fields
  /** Fields that the record can't be without, so that null is no value for them. */
  readonly required: readonly string[]
  readonly check?: (input: Input, principal: Principal, args: Arguments) => readonly UserError[]
  readonly lookUps?: (input: Input, args: Arguments) => readonly LookUp[]
  readonly write: (input: Input, args: Arguments, principal: Principal) => Write | Statement
  /** False where there is only one record, the merchant's own. */
  readonly byId?: boolean
}

/** `updateX(id, input)`. */
export function change<Input extends object>({ record, what, ...definition }: Change<Input>): RowsMutation {
  const { rules, required, check = () => [], lookUps = () => [], write, byId: hasId = true } = definition
  return {
    kind: 'rows',
    record,
    what,
    id: hasId ? 'id' : null,
    input: 'input',
    check(args, principal) {
      const input = inputOf(args)
      return [
        ...nullsIn(required, input),
        ...checkFields(rules, input),
        ...check(input as Input, principal, args),
      ]
    },
    lookUps: (args) => lookUps(inputOf(args) as Input, args),
    write: (args, principal) => asWrite(write(inputOf(args) as Input, args, principal)),
  }
}

/** `deleteX(id)`. */
export function deletion(what: string, write: (id: unknown) => Write | Statement): RowsMutation {
  return {
    kind: 'rows',
    record: null,
    what,
    id: 'id',
    input: null,
    check: ({ id }) => (id === '' ? [requiredField('id')] : []),
    lookUps: () => [],
    write: ({ id }) => asWrite(write(id)),
  }
}

const inputOf = (args: Arguments): Values => args['input'] as Values

const asWrite = (write: Write | Statement): Write => ('root' in write ? { before: [], record: write } : write)

type LookUpTarget = Pick<Table, 'list' | 'type' | 'existing'>

/** The values must not be taken yet. @param except rows that don't count, being the record itself */
export function absent(
  { list, type, existing }: LookUpTarget,
  column: string,
  values: LookUp['values'],
  what: string,
  except?: Values,
): LookUp {
  const where = { _and: [existing ?? {}, ...(except ? [{ _not: except }] : [])] }
  return { table: list, type, column, expect: 'absent', values, where, what }
}

/** The records with these ids must be there. */
export function present(
  { list, type, existing }: LookUpTarget,
  values: LookUp['values'],
  what: string,
): LookUp {
  return {
    table: list,
    type,
    column: 'id',
    expect: 'present',
    values,
    what,
    ...(existing && { where: existing }),
  }
}

/** A look-up's values of one optional field. */
export const valueOf = (field: string, value: string | null | undefined): LookUp['values'] =>
  value == null ? [] : [{ field, value }]

/** A look-up's values of an optional list. */
export const valuesOf = (field: string, values: readonly string[] | null | undefined): LookUp['values'] =>
  (values ?? []).map((value, index) => ({ field: `${field}.${index}`, value }))
