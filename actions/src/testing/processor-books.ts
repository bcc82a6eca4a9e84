import { balanceProcessor, manualProcessor } from '../processors/index.ts'
import { reconcilePayments } from '../payment/index.ts'
import { found, silent, type TestShop } from './test-shop.ts'

/**
 * The money that the sandbox has taken for an order or an appointment and not given back, by its own books: minor
 * units.
 */
export async function heldByProcessor(
  { database }: Pick<TestShop, 'database'>,
  paid: 'order_id' | 'appointment_id',
  id: string,
): Promise<number> {
  const [row] = await database<{ held: number }[]>`
    SELECT coalesce(sum((i.body ->> 'amount_received')::bigint - (
      SELECT coalesce(sum((r.body ->> 'amount')::bigint), 0) FROM sandbox_processor.refund r
      WHERE r.body ->> 'payment_intent' = i.id
    )), 0)::integer AS held
    FROM sandbox_processor.payment_intent i WHERE i.body -> 'metadata' ->> ${paid} = ${id}`
  return found(row).held
}

/** Asks the processors about every payment that is under way. */
export const reconcileAtOnce = ({
  database,
  cardProcessor,
}: Pick<TestShop, 'database' | 'cardProcessor'>): Promise<number> =>
  reconcilePayments({
    database,
    processors: [cardProcessor, manualProcessor, balanceProcessor],
    after: 0,
    logger: silent,
  })
