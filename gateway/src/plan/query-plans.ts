import type { Principal } from '@commerce-graph/auth-webhook'
import type { Contract, PermissionRule } from '@commerce-graph/contract'
import { LRUCache } from 'lru-cache'
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

/** Characters of the Hasura documents of all plans. With 1,160 lists, a plan took 14 bytes of memory for each of them. */
const maxCharactersOfPlans = 10_000_000

/**
 * Plans that are made already. They live as long as the prepared operation they belong to, and those used least recently give way
 * when all of them are too long.
 */
export class QueryPlans {
  readonly #contract: Contract
  readonly #projections: Projections
  readonly #plans = new WeakMap<PreparedOperation, Map<string, QueryPlan>>()
  /** Each plan with what forgets it. */
  readonly #kept: LRUCache<QueryPlan, () => void>

  constructor(contract: Contract, projections: Projections, maxCharacters = maxCharactersOfPlans) {
    this.#contract = contract
    this.#projections = projections
    this.#kept = new LRUCache({
      maxSize: maxCharacters,
      sizeCalculation: (_, { document }) => (document?.length ?? 0) + 1,
      dispose: (forget) => forget(),
    })
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
    if (known === undefined) this.#kept.set(plan, () => plans.delete(key))
    else this.#kept.get(plan)
    const [oldest] = plans.values()
    if (plans.size > maxPlansPerOperation && oldest !== undefined) this.#kept.delete(oldest)
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
