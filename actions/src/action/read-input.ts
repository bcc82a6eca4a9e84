import {
  type FieldRule,
  filledValues,
  hasShape,
  type Filled,
  type InputRule,
  keptValues,
  loadContract,
  type MutationArguments,
  type PermissionRule,
  type Role,
  rolesOf,
  validate,
} from '@commerce-graph/contract'
import type { UserError } from './answer.ts'

/** The mutation of the contract that an action does. */
export type ActionName = keyof MutationArguments

/** The value of an absent field: null, or nothing in updates, which distinguish the two. */
export type Absent = 'null' | 'kept'

export type InputOf<Name extends ActionName, Kept extends Absent> = Kept extends 'kept'
  ? MutationArguments[Name]
  : Filled<MutationArguments[Name]>

export type ReadInput<Input> =
  | { readonly kind: 'input'; readonly input: Input }
  | {
      readonly kind: 'invalid'
      readonly errors: readonly UserError[]
      /** The input, where only bounds are broken; null where a value is of another type or missing. */
      readonly input: Input | null
    }

const contract = loadContract()

/** The contract's permission of an action. */
export function accessOf(name: ActionName): {
  readonly roles: readonly Role[]
  readonly permission: string | null
} {
  const rule: PermissionRule | undefined = contract.permissions.ofField('Mutation', name)
  return {
    roles: rolesOf(contract.permissions, name),
    permission: rule === undefined || rule.operator ? null : rule.name,
  }
}

/** The arguments as Hasura sent them, held to the contract: all that is wrong with them, or what the action works with. */
export function readInput<Name extends ActionName, Kept extends Absent>(
  name: Name,
  sent: unknown,
  absent: Kept,
): ReadInput<InputOf<Name, Kept>> {
  const rules = contract.inputRules.get(name) ?? []
  const args = withNumbers(rules, typeof sent === 'object' && sent !== null ? { ...sent } : {})
  const errors = validate(rules, args, { ids: 'UUIDs' })
  if (!hasShape(rules, args)) return { kind: 'invalid', errors, input: null }
  const kept = keptValues(rules, args)
  const values = absent === 'kept' ? kept : filledValues(rules, kept)
  // They have the types that were written from the same rules.
  const input = values as InputOf<Name, Kept>
  return errors.length > 0 ? { kind: 'invalid', errors, input } : { kind: 'input', input }
}

type Values = Readonly<Record<string, unknown>>

/** Hasura sends bigint as a number or, when it stringifies numbers, as digits. */
const withNumbers = (fields: readonly FieldRule[], values: Values): Values =>
  Object.fromEntries(
    fields
      .filter(({ name }) => values[name] !== undefined)
      .map(({ name, rule }) => [name, withNumber(rule, values[name])]),
  )

function withNumber(rule: InputRule, value: unknown): unknown {
  switch (rule.kind) {
    case 'leaf':
      return rule.type === 'Money' && typeof value === 'string' && /^-?\d{1,20}$/.test(value)
        ? Number(value)
        : value
    case 'list':
      return Array.isArray(value) ? value.map((entry: unknown) => withNumber(rule.item, entry)) : value
    case 'object':
      return typeof value === 'object' && value !== null ? withNumbers(rule.fields(), { ...value }) : value
    default:
      return rule satisfies never
  }
}
