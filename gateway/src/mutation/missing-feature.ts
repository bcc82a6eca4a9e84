import { type CatalogueError, catalogueError } from '@commerce-graph/contract/errors'

/** What `merchant.require_feature` says (migrations): Hasura passes its message on, in words of its own. */
const words = /the plan (\w+) does not include (\w+), which needs the plan (\w+)/

/** SVC_AUTH_003 for a change that needs a feature which the merchant's plan doesn't have; null for any other refusal. */
export function missingFeature(message: string): CatalogueError | null {
  const [, plan, feature, requiredPlan] = words.exec(message) ?? []
  if (plan === undefined || feature === undefined || requiredPlan === undefined) return null
  const needed = requiredPlan === 'NONE' ? 'no plan has it' : `the plan ${requiredPlan} has it`
  return catalogueError(
    'SVC_AUTH_003',
    {},
    {
      reason: `The plan ${plan} does not include ${feature}; ${needed}`,
      feature,
      plan,
      requiredPlan: requiredPlan === 'NONE' ? null : requiredPlan,
    },
  )
}
