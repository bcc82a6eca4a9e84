import type { Principal } from '@commerce-graph/auth-webhook'
import type { Contract, PermissionRule } from '@commerce-graph/contract'
import type { Projections } from '../projection/projections.ts'
import type { Role } from '../projection/types.ts'
import { lacks, roleOf, ruleKey } from './field-access.ts'
import { planQuery, type QueryPlan } from './plan-query.ts'
import type { PreparedOperation } from './prepared-operation.ts'

/**
 * Plans of one operation at most. Its variables' structures are few: which filters are given, which way a list is
 * sorted. A client that makes up more of them only causes plans to be made again.
 */
const maxPlansPerOperation = 64

/**
 * Plans that are made already. They live as long as the prepared operation they belong to, so the cache of those
 * bounds this one as well.
 */
export class QueryPlans {
  readonly #contract: Contract
  readonly #projections: Projections
  readonly #plans = new WeakMap<PreparedOperation, Map<string, QueryPlan>>()

  constructor(contract: Contract, projections: Projections) {
    this.#contract = contract
    this.#projections = projections
  }

  /**
   * The plan for a caller. One who lacks some of what the document needs has a plan of its own, which asks for nothing of
   * that; callers who lack the same share it.
   *
   * @param variables coerced
   */
  planFor(
    prepared: PreparedOperation,
    principal: Principal,
    variables: Readonly<Record<string, unknown>>,
  ): QueryPlan {
    const role = roleOf(principal)
    const structure = prepared.structureOf(variables)
    const make = (denied: readonly PermissionRule[]) =>
      this.#known(prepared, `${role} ${denied.map(ruleKey).join()} ${structure}`, () =>
        this.#plan(prepared, role, variables, new Set(denied.map(ruleKey))),
      )
    const whole = make([])
    const denied = whole.rules.filter((rule) => lacks(rule, principal))
    return denied.length === 0 ? whole : make(denied)
  }

  /** The operation's plan of this key, made where it isn't there. */
  #known(prepared: PreparedOperation, key: string, make: () => QueryPlan): QueryPlan {
    const plans = this.#plansOf(prepared)
    const known = plans.get(key)
    // A used plan moves to the end, so the first one is the least recently used.
    plans.delete(key)
    const plan = known ?? make()
    plans.set(key, plan)
    const [oldest] = plans.keys()
    if (plans.size > maxPlansPerOperation && oldest !== undefined) plans.delete(oldest)
    return plan
  }

  #plansOf(prepared: PreparedOperation): Map<string, QueryPlan> {
    const known = this.#plans.get(prepared)
    if (known) return known
    const plans = new Map<string, QueryPlan>()
    this.#plans.set(prepared, plans)
    return plans
  }

  #plan(
    { operation, fragments, responseKeys }: PreparedOperation,
    role: Role,
    variables: Readonly<Record<string, unknown>>,
    denied: ReadonlySet<string>,
  ): QueryPlan {
    return planQuery(operation, {
      contract: this.#contract,
      projections: this.#projections,
      role,
      fragments,
      responseKeys,
      variables,
      denies: (rule) => denied.has(ruleKey(rule)),
    })
  }
}
