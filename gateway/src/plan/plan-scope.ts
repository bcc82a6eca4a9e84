import { type GraphQLField, type GraphQLSchema, type ArgumentNode, Kind, type ValueNode } from 'graphql'
import type { Contract, PermissionRule } from '@commerce-graph/contract'
import { type VariableReference, variableReference } from '../projection/condition.ts'
import type { Projections } from '../projection/projections.ts'
import type { Role, TenantRole } from '../projection/types.ts'
import { argumentValues } from './argument-values.ts'
import type { Binder, Request } from './binding.ts'
import type { CatalogueError } from '@commerce-graph/contract/errors'
import type { FieldGroup, Fragments, SelectionScope } from './collect-fields.ts'
import {
  type FieldRefusal,
  isFatal,
  type NeededRule,
  ruleError,
  ruleKey,
  rulesOf,
  type SelectedField,
} from './field-access.ts'
import type { HasuraVariable } from './hasura-document.ts'

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
  /** Whether the caller lacks what a rule asks for; without it, the plan is one for a caller who lacks nothing. */
  readonly denies?: (rule: PermissionRule) => boolean
}

const tenantsOnly: PermissionRule = { name: 'a merchant’s own', customer: true, guest: false }

/** Collects permissions, variables and refusals while the planner walks a document. */
export class PlanScope implements SelectionScope {
  readonly contract: Contract
  readonly projections: Projections
  readonly role: Role
  readonly fragments: Fragments
  readonly variables: Readonly<Record<string, unknown>>
  readonly binders: Binder[] = []
  readonly hasuraVariables: HasuraVariable[] = []
  readonly #rules = new Map<string, PermissionRule>()
  readonly #refusals: FieldRefusal[] = []
  readonly #denies: (rule: PermissionRule) => boolean
  readonly #path: string[] = []
  readonly #responseKeys: ReadonlySet<string>
  #hiddenKeys = 0
  #pages = 0

  constructor({
    contract,
    projections,
    role,
    fragments,
    variables,
    responseKeys,
    denies = () => false,
  }: PlanScopeOptions) {
    this.contract = contract
    this.projections = projections
    this.role = role
    this.fragments = fragments
    this.variables = variables
    this.#responseKeys = responseKeys
    this.#denies = denies
  }

  get schema(): GraphQLSchema {
    return this.contract.schema
  }

  /** The rules of everything that the plan asks for, each once. */
  get rules(): readonly PermissionRule[] {
    return [...this.#rules.values()]
  }

  /** The fields that the caller may not have, in the document's order. */
  get refusals(): readonly FieldRefusal[] {
    return this.#refusals
  }

  /** Plans what stands below a response key. */
  below<Planned>(key: string, plan: () => Planned): Planned {
    this.#path.push(key)
    const planned = plan()
    this.#path.pop()
    return planned
  }

  /**
   * Whether the caller may have a field, asked below its response key. What it may not have is among the refusals, and
   * nothing of it may be asked of Hasura.
   *
   * @returns the error to answer in its place, or undefined where nothing is missing
   */
  refusalOf(field: SelectedField): CatalogueError | undefined {
    return this.refuse(rulesOf(this.contract, field, this.variables), isFatal(field))
  }

  /** Whether the caller may have what a rule guards, where what it may not have is left out and no refusal. */
  allows(rule: PermissionRule): boolean {
    this.#know(rule)
    return !this.#denies(rule)
  }

  /** A plan depends on whether its caller passes the rule. */
  #know(rule: PermissionRule): void {
    this.#rules.set(ruleKey(rule), rule)
  }

  /** The same of rules that are known already. @param fatal whether nothing can be answered in place of what they guard */
  refuse(rules: readonly NeededRule[], fatal: boolean): CatalogueError | undefined {
    for (const { rule } of rules) this.#know(rule)
    const broken = rules.find(({ rule }) => this.#denies(rule))
    if (!broken) return undefined
    const error = ruleError(broken, this.role, this.#path)
    this.#refusals.push({ error, fatal: fatal || this.role === 'operator' })
    return error
  }

  /** The same of a root's field. One without a rule is open to keys, users and shoppers, and to guests where it says so. */
  refusalOfRoot(field: SelectedField, fatal = isFatal(field)): CatalogueError | undefined {
    const { type, definition } = field
    const open = this.contract.permissions.ofField(type, definition.name) === undefined
    const closed =
      this.role === 'operator' ||
      (this.role === 'guest' && !this.contract.permissions.isForGuests(type, definition.name))
    const ofTenants = open && closed ? [{ rule: tenantsOnly, of: `${type}.${definition.name}` }] : []
    return this.refuse([...rulesOf(this.contract, field, this.variables), ...ofTenants], fatal)
  }

  /** The value for the caller's role. */
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

  /** Reads a field's arguments. */
  arguments(field: GraphQLField<unknown, unknown>, [node]: FieldGroup): FieldArguments {
    const now = argumentValues(field, node, this.variables)
    const constant = !node.arguments?.some(usesVariable)
    return { now, in: constant ? () => now : ({ variables }) => argumentValues(field, node, variables) }
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
