import { type CatalogueError, catalogueError } from './catalogue-error.ts'

/** The detail that the database sends with a violation of `plan_feature` (`merchant.require_feature`). */
interface MissingFeature {
  readonly feature: string
  readonly plan: string
  /** The smallest plan that has it; null: none. */
  readonly requiredPlan: string | null
  /** Of the subscription. One that is UNPAID has no feature. */
  readonly status: string
}

/** SVC_AUTH_003 for a change that needs a feature which the merchant's plan lacks; null for any other violation. */
export function missingFeature({
  constraint,
  detail,
}: {
  readonly constraint: string | undefined
  readonly detail: string | null | undefined
}): CatalogueError | null {
  if (constraint !== 'plan_feature' || detail == null) return null
  const { feature, plan, requiredPlan, status } = JSON.parse(detail) as MissingFeature
  const needed = requiredPlan === null ? 'no plan has it' : `the plan ${requiredPlan} has it`
  const reason =
    status === 'UNPAID'
      ? `The subscription is UNPAID: it does not include ${feature} until it is paid`
      : `The plan ${plan} does not include ${feature}; ${needed}`
  return catalogueError('SVC_AUTH_003', {}, { reason, feature, plan, requiredPlan })
}
