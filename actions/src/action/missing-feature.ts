import postgres from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { forbidden, type Refusal } from './answer.ts'

/** What `merchant.require_feature` says in its error's detail (migrations). */
const detail = z.object({
  feature: z.string(),
  plan: z.string(),
  /** The smallest plan that has it. */
  requiredPlan: z.string().nullable(),
})

/** The refusal for an error of the database which says that the merchant's plan lacks a feature; null for any other error. */
export function missingFeature(error: unknown): Refusal | null {
  if (!(error instanceof postgres.PostgresError) || error.constraint_name !== 'plan_feature') return null
  const told = detail.parse(JSON.parse(error.detail ?? ''))
  const needed = told.requiredPlan === null ? 'no plan has it' : `the plan ${told.requiredPlan} has it`
  const refusal = forbidden(`The plan ${told.plan} does not include ${told.feature}; ${needed}`)
  return { ...refusal, details: { ...refusal.details, ...told } }
}
