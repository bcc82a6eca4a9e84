import { type OperationDefinitionNode, parse, validate } from 'graphql'
import type { Principal } from '@commerce-graph/auth-webhook'
import { loadContract } from '@commerce-graph/contract'
import { readVariables, variableDefinitions } from '../document/variables.ts'
import { prepareOperation } from '../plan/prepared-operation.ts'
import type { QueryPlan } from '../plan/plan-query.ts'
import { QueryPlans } from '../plan/query-plans.ts'
import { projections } from '../projection/projections.ts'
import type { Role } from '../projection/types.ts'
import { type Defect, executeQuery, type QueryResult } from '../query/execute-query.ts'
import { customerPrincipal, keyPrincipal, type TestShop } from './shop.ts'

export const contract = loadContract()
const plans = new QueryPlans(contract, projections)

type Variables = Readonly<Record<string, unknown>>

/** Plans a query as the gateway does for a caller with all permissions of the role. Throws for an invalid document. */
export const planText = (text: string, role: Role, variables: Variables = {}) =>
  planFor(role === 'customer' ? customerPrincipal(1) : keyPrincipal(1), text, variables)

function planFor(
  principal: Principal,
  text: string,
  variables: Variables,
): { plan: QueryPlan; variables: Variables } {
  const document = parse(text)
  const [error] = validate(contract.schema, document)
  if (error) throw error
  const operation = document.definitions[0] as OperationDefinitionNode
  const coerced = readVariables(variableDefinitions(contract.schema, operation), variables)
  if ('errors' in coerced) throw new Error(JSON.stringify(coerced.errors))
  const prepared = prepareOperation(contract.schema, document, operation)
  return { plan: plans.planFor(prepared, principal, coerced.variables), variables: coerced.variables }
}

/** Runs a query as the gateway does. The result has the defects that the gateway would log. */
export async function runQuery(
  shop: TestShop,
  principal: Principal,
  text: string,
  variables: Variables = {},
): Promise<QueryResult & { readonly defects: readonly Defect[] }> {
  const planned = planFor(principal, text, variables)
  const defects: Defect[] = []
  const result = await executeQuery(planned.plan, planned.variables, {
    dataLayer: shop.dataLayer,
    principal,
    report: (defect) => defects.push(defect),
  })
  return { ...result, defects }
}

/** The data of a query that must succeed, as a client receives it. */
export async function queryData(
  shop: TestShop,
  principal: Principal,
  text: string,
  variables: Variables = {},
): Promise<Record<string, unknown>> {
  const result = await runQuery(shop, principal, text, variables)
  if (result.kind === 'refused' || result.errors.length > 0) throw new Error(JSON.stringify(result))
  return JSON.parse(JSON.stringify(result.data)) as Record<string, unknown>
}
