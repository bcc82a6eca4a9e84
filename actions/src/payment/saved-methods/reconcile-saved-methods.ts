import type { Logger } from 'pino'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Database } from '../../database.ts'
import { inParallel } from '../../in-parallel.ts'
import type { FindProcessor } from '../cashier.ts'
import { mostUnansweredCalls, patience } from '../payments.ts'
import { createMethodKeeper } from './method-keeper.ts'
import { findSavedMethod, postponeMethod, purgeFailedMethods, unsettledMethods } from './saved-methods.ts'

export interface ReconcileMethodsOptions {
  readonly database: Database
  readonly processorOf: FindProcessor
  /** Seconds in which a call may still be answered. */
  readonly after: number
  readonly logger: Logger
}

const batch = 50
const atOnce = 10

/** Ends what a crash or a lost answer left of saved methods. Returns how many it looked into. */
export async function reconcileSavedMethods(options: ReconcileMethodsOptions): Promise<number> {
  const { database, processorOf, after, logger } = options
  const methods = await unsettledMethods(database, after, batch)
  await inParallel(atOnce, methods, async ({ merchantId, id }) => {
    const own = forMerchant(database, merchantId)
    try {
      const method = await findSavedMethod(own, merchantId, id, null)
      if (method !== null) await createMethodKeeper(own, processorOf).complete(method, 'maybe')
    } catch (error) {
      logger.error({ error, merchantId, id }, 'a saved payment method could not be reconciled')
    }
    await postponeMethod(own, { merchantId, id })
  })
  await purgeFailedMethods(database, batch)
  return methods.length + (await removeCustomers(options))
}

interface Removal {
  readonly merchantId: MerchantId
  readonly id: string
  readonly processor: string
  readonly accountId: string | null
  readonly customerId: string
}

/** Deletes the records of forgotten shoppers at their processors. */
async function removeCustomers({
  database,
  processorOf,
  after,
  logger,
}: ReconcileMethodsOptions): Promise<number> {
  const removals = await database<Removal[]>`
    SELECT merchant_id AS "merchantId", id, processor, account_id AS "accountId", processor_customer_id AS "customerId"
    FROM payment.customer_removal
    WHERE created_at = updated_at OR updated_at <= now() - ${patience(database, after)}
    ORDER BY updated_at LIMIT ${batch}`
  await inParallel(atOnce, removals, async (removal) => {
    const { merchantId, id } = removal
    const own = forMerchant(database, merchantId)
    const answer = await remove(processorOf, removal).catch((cause: unknown) => ({
      status: 'unknown' as const,
      cause,
    }))
    if (answer.status === 'gone') {
      await own`DELETE FROM payment.customer_removal WHERE merchant_id = ${merchantId} AND id = ${id}`
      return
    }
    logger.warn({ error: answer.cause, merchantId, id }, 'a shopper is still known at a payment processor')
    await own`
      UPDATE payment.customer_removal SET unanswered_calls = least(unanswered_calls + 1, ${mostUnansweredCalls})
      WHERE merchant_id = ${merchantId} AND id = ${id}`
  })
  return removals.length
}

async function remove(processorOf: FindProcessor, removal: Removal) {
  const { vault } = await processorOf(removal)
  return vault === null ? ({ status: 'gone' } as const) : vault.deleteCustomer(removal.customerId)
}
