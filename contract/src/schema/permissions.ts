import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type StringValueNode,
} from 'graphql'

/** The directive `@permission`, `@guest` or `@operator` of a type, field or argument. */
export interface PermissionRule {
  /** `<resource>:<action>`; `operator` where it is for operators. */
  readonly name: string
  /** Whether a shopper's own access token may pass as well. */
  readonly customer: boolean
  /** Whether a publishable key may pass as well. */
  readonly guest: boolean
  /** For operators and for no merchant, user or shopper, whatever they may. */
  readonly operator?: true
}

/**
 * Which permission the parts of the contract need. Parts without a rule are open to every caller who belongs to a merchant; of the root
 * fields without one, guests have those that say so.
 */
export interface Permissions {
  ofType(type: string): PermissionRule | undefined
  ofField(type: string, field: string): PermissionRule | undefined
  ofArgument(type: string, field: string, argument: string): PermissionRule | undefined
  ofInputField(type: string, field: string): PermissionRule | undefined
  /** Whether a root field has `@guest`. */
  isForGuests(type: string, field: string): boolean
}

/** Hasura's roles that may call a mutation. */
export type Role = 'customer' | 'guest' | 'merchant' | 'operator'

/** Which roles a mutation is for; what has no rule is for shoppers and for the merchant's own. */
export function rolesOf(permissions: Permissions, mutation: string): readonly Role[] {
  const rule = permissions.ofField('Mutation', mutation)
  if (rule?.operator) return ['operator']
  return [
    ...(rule && !rule.customer ? [] : (['customer'] as const)),
    ...(permissions.isForGuests('Mutation', mutation) ? (['guest'] as const) : []),
    'merchant',
  ]
}

interface Annotated {
  readonly directives?: readonly ConstDirectiveNode[] | undefined
  readonly description?: StringValueNode | undefined
}

const forOperators: PermissionRule = { name: 'operator', customer: false, guest: false, operator: true }

/** Collects the rules while the SDL is composed, and takes the directives out of it. */
export class PermissionRegister implements Permissions {
  readonly #rules = new Map<string, PermissionRule>()
  readonly #forGuests = new Set<string>()

  ofType(type: string): PermissionRule | undefined {
    return this.#rules.get(type)
  }

  ofField(type: string, field: string): PermissionRule | undefined {
    return this.#rules.get(`${type}.${field}`)
  }

  ofArgument(type: string, field: string, argument: string): PermissionRule | undefined {
    return this.#rules.get(`${type}.${field}.${argument}`)
  }

  ofInputField(type: string, field: string): PermissionRule | undefined {
    return this.#rules.get(`${type}.${field}`)
  }

  isForGuests(type: string, field: string): boolean {
    return this.#forGuests.has(`${type}.${field}`)
  }

  /** The definition without `@permission`, `@guest` and `@operator`, whose rules are now in the register and named in the descriptions. */
  takeFrom(definition: DefinitionNode): DefinitionNode {
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION: {
        const name = definition.name.value
        const fields = definition.fields?.map((field) => this.#takeFromField(name, field))
        return { ...this.#take(name, definition), ...(fields && { fields }) }
      }
      case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
        const name = definition.name.value
        const fields = definition.fields?.map((field) => this.#take(`${name}.${field.name.value}`, field))
        return { ...definition, ...(fields && { fields }) }
      }
      default:
        return definition
    }
  }

  #takeFromField(type: string, field: FieldDefinitionNode): FieldDefinitionNode {
    const path = `${type}.${field.name.value}`
    const args = field.arguments?.map((argument: InputValueDefinitionNode) =>
      this.#take(`${path}.${argument.name.value}`, argument),
    )
    return { ...this.#take(path, field), ...(args && { arguments: args }) }
  }

  #take<Node extends Annotated>(path: string, node: Node): Node {
    const rule = ruleOf(node)
    if (isForGuests(node)) this.#forGuests.add(path)
    else if (!rule) return node
    if (rule) this.#rules.set(path, rule)
    return {
      ...node,
      directives: node.directives?.filter(({ name }) => !access.includes(name.value)),
      ...(rule && { description: describe(node.description, rule) }),
    }
  }
}

const access: readonly string[] = ['permission', 'guest', 'operator']

const isForGuests = ({ directives }: Annotated): boolean =>
  directives?.some(({ name }) => name.value === 'guest') === true

function ruleOf({ directives }: Annotated): PermissionRule | undefined {
  if (directives?.some(({ name }) => name.value === 'operator')) return forOperators
  const directive = directives?.find(({ name }) => name.value === 'permission')
  if (!directive) return undefined
  const value = (argument: string) => directive.arguments?.find(({ name }) => name.value === argument)?.value
  const name = value('name')
  const customer = value('customer')
  if (name?.kind !== Kind.STRING) throw new Error('@permission needs a name')
  return {
    name: name.value,
    customer: customer?.kind === Kind.BOOLEAN && customer.value,
    guest: isForGuests({ directives }),
  }
}

function describe(description: StringValueNode | undefined, rule: PermissionRule): StringValueNode {
  const who = needed(rule)
  return { kind: Kind.STRING, value: description ? `${description.value}\n\n${who}` : who }
}

function needed({ name, customer, guest, operator }: PermissionRule): string {
  if (operator) return 'Needs an operator’s key.'
  if (guest)
    return customer
      ? `Needs the permission \`${name}\`, a shopper's token, or a publishable key.`
      : `Needs the permission \`${name}\`, or a publishable key; not for shoppers.`
  return customer
    ? `Needs the permission \`${name}\`, or a shopper's token.`
    : `Needs the permission \`${name}\`; not for shoppers.`
}
