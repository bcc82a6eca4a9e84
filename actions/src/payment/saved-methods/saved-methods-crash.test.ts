import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { Life, type MortalInstance, openInstance } from '../../testing/mortal-instance.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const input = { processor: 'STRIPE', secretKey: 'sk_test_sandbox_saved' }
  dataOf(await shop.call(merchant, 'connectPaymentAccount', { input }))
})
afterAll(() => shop.close())

/** What a shopper does, with the same keys again when it got no answer. */
type Act = (instance: MortalInstance, customerId: CustomerId, key: string) => Promise<unknown>

const save: Act = (instance, customerId, key) =>
  instance.call(
    merchant,
    'savePaymentMethod',
    { input: { customerId, paymentMethodId: 'pm_card_visa' } },
    key,
  )

const remove: Act = async (instance, customerId, key) => {
  const [method] = await shop.database<{ id: string }[]>`
    SELECT id FROM payment.saved_method WHERE customer_id = ${customerId}`
  if (method !== undefined) await instance.call(merchant, 'deleteSavedPaymentMethod', { id: method.id }, key)
}

interface Side {
  readonly ours: number
  readonly usable: number
  readonly setups: number
  readonly attached: number
}

/** A shopper's methods here and at the processor. */
async function sidesOf(customerId: CustomerId): Promise<Side> {
  const [row] = await shop.database<Side[]>`
    WITH record AS (
      SELECT processor_customer_id AS id FROM payment.processor_customer WHERE customer_id = ${customerId}
    )
    SELECT
      (SELECT count(*) FROM payment.saved_method WHERE customer_id = ${customerId})::integer AS ours,
      (SELECT count(*) FROM payment.saved_payment_method WHERE customer_id = ${customerId} AND offered)::integer AS usable,
      (SELECT count(*) FROM sandbox_processor.setup_intent x JOIN record ON x.body ->> 'customer' = record.id)::integer AS setups,
      (SELECT count(*) FROM sandbox_processor.payment_method x JOIN record ON x.body ->> 'customer' = record.id)::integer AS attached`
  return found(row)
}

const ways: readonly (readonly [string, readonly Act[], Act, Side])[] = [
  ['saved', [], save, { ours: 1, usable: 1, setups: 1, attached: 1 }],
  ['deleted', [save], remove, { ours: 0, usable: 0, setups: 1, attached: 0 }],
]

test.each(ways)(
  'a method is %s once, here and at the processor, whichever effect is the last of a process',
  async (_name, before, act, expected) => {
    const fresh = await openInstance(shop, new Life())
    const dying: Promise<void>[] = []
    const run = async (last: number | null, recovery: 'again' | 'job') => {
      const customerId = await createCustomer(shop.database, merchant.merchantId)
      const key = randomUUID()
      for (const step of before) await step(fresh, customerId, randomUUID())
      const life = new Life(last)
      const instance = await openInstance(shop, life)
      const done = act(instance, customerId, key).catch((error: unknown) => {
        if (!life.isOver) throw error
      })
      await Promise.race([life.ended, done])
      await instance.answered()
      dying.push(instance.close())
      if (recovery === 'job') await fresh.reconcile()
      // A shopper whose request has left nothing sends it again.
      await act(fresh, customerId, key)
      await fresh.reconcile()
      expect(await sidesOf(customerId), `${recovery} after ${life.effects.at(-1)}`).toEqual(expected)
      return life.effects.length
    }
    const length = await run(null, 'again')
    expect(length).toBeGreaterThan(3)
    for (let last = 1; last <= length; last += 1)
      for (const recovery of ['again', 'job'] as const) await run(last, recovery)
    await Promise.all([...dying, fresh.close()])
  },
  120_000,
)
