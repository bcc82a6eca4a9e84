import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedOutputType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Principal } from '@commerce-graph/auth-webhook'
import type { Contract, PermissionRule } from '@commerce-graph/contract'
import { type CatalogueError, catalogueError, withPath } from '@commerce-graph/contract/errors'
import type { Role } from '../projection/types.ts'
import { argumentValues } from './argument-values.ts'
import type { FieldGroup } from './collect-fields.ts'

/** A selected field of the contract: where it stands, and what was said about it. */
export interface SelectedField {
  readonly key: string
  /** The contract type that the field belongs to. */
  readonly type: string
  readonly definition: GraphQLField<unknown, unknown>
  readonly group: FieldGroup
}

/** A rule that a selected field has to pass. */
export interface NeededRule {
  readonly rule: PermissionRule
  /** The schema coordinate of what needs it: `Order.tags`, `ProductFilters.inStock`. */
  readonly of: string
}

/** A field that the caller may not have. */
export interface FieldRefusal {
  /** Its path holds response keys alone; the places in lists are known with the rows. */
  readonly error: CatalogueError
  /** Whether nothing can be answered in the field's place, so that the whole request is refused. */
  readonly fatal: boolean
}

export function roleOf({ kind }: Principal): Role {
  switch (kind) {
    case 'key':
    case 'user':
      return 'merchant'
    case 'customer':
    case 'guest':
    case 'operator':
      return kind
    default:
      return kind satisfies never
  }
}

/**
 * Whether the caller may not have what a rule guards. For a shopper or guest the rule itself says whether they may: what keeps
 * them to their own rows is the role `customer` or `guest` in metadata.
 */
export function lacks({ name, customer, guest, operator }: PermissionRule, principal: Principal): boolean {
  if (principal.kind === 'operator') return operator !== true
  if (operator) return true
  switch (principal.kind) {
    case 'customer':
      return !customer
    case 'guest':
      return !guest
    case 'key':
    case 'user':
      return !principal.permissions.has(name)
    default:
      return principal satisfies never
  }
}

/** Tells rules apart: two of one name differ in whether shoppers pass them, or guests. */
export const ruleKey = ({ name, customer, guest }: PermissionRule): string =>
  `${name}${customer ? '+customer' : ''}${guest ? '+guest' : ''}`

const operatorsOnly =
  'An operator’s key belongs to no merchant: it may call the fields for operators and no others'

/** The permissions that a field needs: its own, those of its type, and those of its arguments in the document. */
export function rulesOf(
  { permissions }: Pick<Contract, 'permissions'>,
  { type, definition, group }: SelectedField,
  variables: Readonly<Record<string, unknown>>,
): readonly NeededRule[] {
  const of = `${type}.${definition.name}`
  return [
    ...needed(of, permissions.ofField(type, definition.name)),
    ...answeredTypes(getNamedType(definition.type)).flatMap((name) => needed(of, permissions.ofType(name))),
    ...(definition.args.length > 0 ? argumentRules(permissions, type, definition, group, variables) : []),
  ]
}

const needed = (of: string, rule: PermissionRule | undefined): readonly NeededRule[] =>
  rule ? [{ rule, of }] : []

/** A field's named type; of a connection, that of its nodes as well, whether or not any are selected. */
function answeredTypes(named: GraphQLNamedOutputType): readonly string[] {
  const edges = isObjectType(named) ? named.getFields()['edges'] : undefined
  const edge = edges && getNamedType(edges.type)
  const node = isObjectType(edge) ? edge.getFields()['node'] : undefined
  return node ? [named.name, getNamedType(node.type).name] : [named.name]
}

function argumentRules(
  permissions: Contract['permissions'],
  type: string,
  definition: SelectedField['definition'],
  [node]: FieldGroup,
  variables: Readonly<Record<string, unknown>>,
): readonly NeededRule[] {
  const values = argumentValues(definition, node, variables)
  return definition.args.flatMap((argument) => {
    const value = values[argument.name]
    if (value == null) return []
    const rule = permissions.ofArgument(type, definition.name, argument.name)
    const input = getNamedType(argument.type)
    return [
      ...needed(`${type}.${definition.name}(${argument.name}:)`, rule),
      ...(argument.name === 'filters' && isInputObjectType(input)
        ? memberRules(permissions, input.name, value as Readonly<Record<string, unknown>>)
        : []),
    ]
  })
}

const memberRules = (
  permissions: Contract['permissions'],
  type: string,
  value: Readonly<Record<string, unknown>>,
): readonly NeededRule[] =>
  Object.entries(value).flatMap(([member, given]) =>
    given == null ? [] : needed(`${type}.${member}`, permissions.ofInputField(type, member)),
  )

/** SVC_AUTH_003 for what a rule guards. A key or user lacks the permission; for shoppers there is none to have. */
export const ruleError = ({ rule, of }: NeededRule, role: Role, path: readonly string[]): CatalogueError =>
  withPath(catalogueError('SVC_AUTH_003', {}, { field: of, ...whatLacks({ rule, of }, role) }), [...path])

function whatLacks(
  { rule, of }: NeededRule,
  role: Role,
): { readonly permission?: string; readonly reason: string } {
  if (role === 'operator') return { reason: operatorsOnly }
  if (rule.operator) return { permission: rule.name, reason: `${of} needs an operator’s key` }
  if (role === 'guest')
    return {
      reason: rule.customer
        ? `${of} is not for a publishable key: sign a shopper in`
        : `${of} is not for a publishable key`,
    }
  if (role === 'customer') return { reason: `${of} is for the merchant's staff and keys, not for shoppers` }
  return { permission: rule.name, reason: `${of} needs the permission ${rule.name}` }
}

/** More would only repeat itself. */
const maxRefusals = 20

/** Everything that the caller may not have, where nothing can be answered in the place of some of it; else nothing. */
export const fatalRefusals = ({
  refusals,
}: {
  readonly refusals: readonly FieldRefusal[]
}): readonly CatalogueError[] =>
  refusals.some(({ fatal }) => fatal) ? refusals.slice(0, maxRefusals).map(({ error }) => error) : []

export const isFatal = ({ definition }: SelectedField): boolean => isNonNullType(definition.type)
