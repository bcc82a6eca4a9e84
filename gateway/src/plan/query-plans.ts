import { type Contract } from '../contract/compose.ts'
import { type Projections } from '../projection/projections.ts'
import { type Role } from '../projection/types.ts'
import { planQuery, type QueryPlan } from './plan-query.ts'
import { type PreparedOperation } from './prepared-operation.ts'

/**
 * Plans of one operation at most. Its variables' structures are few: which filters are given, which way a list is
 * sorted. Somebody who makes up more of them only makes planning happen again.
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

  /** @param variables coerced */
  planFor(prepared: PreparedOperation, role: Role, variables: Readonly<Record<string, unknown>>): QueryPlan {
    const plans = this.#plansOf(prepared)
    const key = `${role} ${prepared.structureOf(variables)}`
    const known = plans.get(key)
    // What was used last goes to the end, so that the first is what was not used for the longest.
    plans.delete(key)
    const plan = known ?? this.#plan(prepared, role, variables)
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

  #plan(prepared: PreparedOperation, role: Role, variables: Readonly<Record<string, unknown>>): QueryPlan {
    const { operation, fragments, responseKeys } = prepared
    return planQuery(operation, {
      contract: this.#contract,
      projections: this.#projections,
      role,
      fragments,
      responseKeys,
      variables,
    })
  }
}
