import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  type GraphQLUnionType,
  isCompositeType,
  isLeafType,
  isObjectType,
  isInterfaceType,
  isUnionType,
} from 'graphql'
import type { Contract, PermissionRule } from '@commerce-graph/contract'
import type { Role } from '../projection/types.ts'

export interface SelectEverythingOptions {
  /** The maximum nesting of objects. */
  readonly depth: number
  /** Whether a field is selected; by default all are. */
  readonly include?: (type: string, field: string) => boolean
}

/** A selection set with every field of a type, down to a depth; empty if there is nothing to select. */
export function selectEverything(type: GraphQLOutputType, options: SelectEverythingOptions): string {
  const named = getNamedType(type)
  if (isUnionType(named)) return selectMembers(named, options)
  if (isInterfaceType(named)) return '{ __typename id }'
  if (!isObjectType(named)) return ''
  const { depth, include = () => true } = options
  const fields = Object.values(named.getFields())
    .filter((field) => include(named.name, field.name))
    .map((field) => selectField(field, { ...options, depth: depth - 1 }))
  return `{ __typename ${fields.join(' ')} }`
}

/**
 * The leaf fields of every member. Two members may have fields of one name and different types, so each has an
 * alias.
 */
function selectMembers(type: GraphQLUnionType, { include = () => true }: SelectEverythingOptions): string {
  const members = type.getTypes().map((member) => {
    const fields = Object.values(member.getFields())
      .filter((field) => isLeafType(getNamedType(field.type)) && include(member.name, field.name))
      .map((field) => `${member.name}_${field.name}: ${field.name}`)
    return `... on ${member.name} { __typename ${fields.join(' ')} }`
  })
  return `{ ${members.join(' ')} }`
}

function selectField(field: GraphQLField<unknown, unknown>, options: SelectEverythingOptions): string {
  if (!isCompositeType(getNamedType(field.type))) return field.name
  return options.depth > 0 ? `${field.name} ${selectEverything(field.type, options)}` : ''
}

/** Whether a caller with every permission of the role may select a field, according to the contract. */
export function isVisible(
  { schema, permissions }: Contract,
  role: Role,
): (type: string, field: string) => boolean {
  const allows = (rule: PermissionRule | undefined) => {
    if (rule?.operator) return role === 'operator'
    return role === 'merchant' || !rule || rule.customer
  }
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const allowsType = (name: string): boolean => {
    const type = schema.getType(name)
    if (!isObjectType(type)) return true
    const node = type.name.endsWith('Connection') ? type.name.replace(/Connection$/, '') : undefined
    return allows(permissions.ofType(name)) && (node === undefined || allowsType(node))
  }
  return (type, field) => {
    const owner = schema.getType(type)
    const definition = isObjectType(owner) ? owner.getFields()[field] : undefined
    return (
      definition !== undefined &&
      (role !== 'operator' ||
        !roots.some((root) => root === owner) ||
        permissions.ofField(type, field)?.operator === true) &&
      allowsType(type) &&
      allows(permissions.ofField(type, field)) &&
      allowsType(getNamedType(definition.type).name)
    )
  }
}
