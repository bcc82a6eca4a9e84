import {
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  type ArgumentNode,
  Kind,
  type ValueNode,
} from 'graphql'
import { type Contract } from '../contract/compose.ts'
import { type PermissionRule } from '../contract/permissions.ts'
import { type VariableReference, variableReference } from '../projection/condition.ts'
import { type Projections } from '../projection/projections.ts'
import { type Role, type TenantRole } from '../projection/types.ts'
import { type Binder, type Request } from './binding.ts'
import { type FieldGroup, type Fragments, type SelectionScope } from './collect-fields.ts'
import { type HasuraVariable } from './hasura-document.ts'

export type ArgumentValues = Readonly<Record<string, unknown>>

/** A field's arguments: as they are now, for the structure of the plan, and as they will be in a later request. */
export interface FieldArguments {
  readonly now: ArgumentValues
  readonly in: (request: Request) => ArgumentValues
}

export interface PlanScopeOptions {
  readonly contract: Contract
  readonly projections: Projections
  readonly role: Role
  readonly fragments: Fragments
  /** The coerced variables of the request that is planned. Only their structure may decide what the plan is. */
  readonly variables: Readonly<Record<string, unknown>>
  /** All response keys of the document, which names of our own must not meet. */
  readonly responseKeys: ReadonlySet<string>
}

const tenantsOnly: PermissionRule = { name: 'a merchant’s own', customer: true }

/** What is collected while a document is planned. */
export class PlanScope implements SelectionScope {
  readonly contract: Contract
  readonly projections: Projections
  readonly role: Role
  readonly fragments: Fragments
  readonly variables: Readonly<Record<string, unknown>>
  readonly binders: Binder[] = []
  readonly hasuraVariables: HasuraVariable[] = []
  readonly #permissions = new Map<string, PermissionRule>()
  readonly #responseKeys: ReadonlySet<string>
  #hiddenKeys = 0
  #pages = 0

  constructor({ contract, projections, role, fragments, variables, responseKeys }: PlanScopeOptions) {
    this.contract = contract
    this.projections = projections
    this.role = role
    this.fragments = fragments
    this.variables = variables
    this.#responseKeys = responseKeys
  }

  get schema(): GraphQLSchema {
    return this.contract.schema
  }

  /** The permissions that the plan needs, each once; the stricter rule where two name the same one. */
  get permissions(): readonly PermissionRule[] {
    return [...this.#permissions.values()]
  }

  require(rule: PermissionRule | undefined): void {
    if (!rule) return
    const known = this.#permissions.get(rule.name)
    if (!known || (known.customer && !rule.customer)) this.#permissions.set(rule.name, rule)
  }

  /** What a field of a root needs. One without a rule is open to every caller who belongs to a merchant, which an operator doesn't. */
  requireRoot(type: string, field: string): void {
    const rule = this.contract.permissions.ofField(type, field)
    this.require(rule ?? (this.role === 'operator' ? tenantsOnly : undefined))
  }

  /** What holds for the role, of what differs between those of a merchant. */
  ofRole<T>(byRole: Readonly<Record<TenantRole, T>> | undefined): T | undefined {
    return this.role === 'operator' ? undefined : byRole?.[this.role]
  }

  /** A key for Hasura's answer that no client asked for. */
  hiddenKey(): string {
    let key: string
    do key = `h${this.#hiddenKeys++}`
    while (this.#responseKeys.has(key))
    return key
  }

  /** Declares a variable of the Hasura document. */
  variable(type: string): VariableReference {
    const name = `v${this.hasuraVariables.length}`
    this.hasuraVariables.push({ name, type })
    return variableReference(name)
  }

  /** The number of a connection, under which a request's page size is kept. */
  page(): number {
    return this.#pages++
  }

  /** Reads a field's arguments, and requires the permissions that those which are given need. */
  arguments(type: string, field: GraphQLField<unknown, unknown>, [node]: FieldGroup): FieldArguments {
    const now = getArgumentValues(field, node, this.variables)
    for (const argument of field.args) {
      const value = now[argument.name]
      if (value != null) this.require(this.contract.permissions.ofArgument(type, field.name, argument.name))
    }
    const constant = !node.arguments?.some(usesVariable)
    return { now, in: constant ? () => now : ({ variables }) => getArgumentValues(field, node, variables) }
  }
}

function usesVariable({ value }: ArgumentNode): boolean {
  const uses = (node: ValueNode): boolean => {
    switch (node.kind) {
      case Kind.VARIABLE:
        return true
      case Kind.LIST:
        return node.values.some(uses)
      case Kind.OBJECT:
        return node.fields.some((member) => uses(member.value))
      default:
        return false
    }
  }
  return uses(value)
}
