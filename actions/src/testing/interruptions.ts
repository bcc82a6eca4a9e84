import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { expectShopToAddUp, stockEverSeen } from './invariants.ts'
import { Life, type MortalInstance, openInstance } from './mortal-instance.ts'
import { faultsOf, outcomesOf } from './purchase-outcome.ts'
import { type Purchase, type Shelf, type Step, stepsOf } from './purchase-steps.ts'
import { createCustomer, found } from './test-shop.ts'

/** A way to pay, and what happens on it. The instance may die at any effect of the steps that are not `before`. */
export interface Way {
  readonly before: readonly Step[]
  readonly steps: readonly Step[]
}

export interface Scene extends Shelf {
  /** Units of the product before the first purchase. */
  readonly stock: number
  /** The processor tells of the payment, again until it is heard. */
  readonly webhook: Step
  /** The processor lets go of the money that it reserved for the customer's purchase. */
  readonly expire: (customerId: CustomerId) => Promise<void>
}

/** A way that is tried with crashes. */
interface Trial {
  readonly scene: Scene
  readonly way: Way
  /** An instance that doesn't die. */
  readonly fresh: MortalInstance
  /** Dead instances, whose sockets are still being closed. */
  readonly dying: Promise<void>[]
}

/** Whether `npm run test:long` runs the tests. */
const longTests = process.env['TEST_LONG'] !== undefined

/**
 * Repeats a way once for every fourth of its effects (in `npm run test:long` for each), and stops the instance just
 * before it. Whatever was interrupted, the purchase is one order, one charge and one mail in the end.
 */
export async function expectWholePurchases(scene: Scene, way: Way): Promise<void> {
  const { shop, merchant, stock } = scene
  const fresh = await openInstance(shop, new Life())
  const trial: Trial = { scene, way, fresh, dying: [] }
  const whole = await interrupt(trial, null)
  const expected = await outcomesOf(shop.database, whole.purchase.customerId)
  await expectOneOfEach(scene, whole.purchase, 'without a crash')
  const { length } = whole.life.effects
  expect(length).toBeGreaterThan(3)
  for (let last = 1; last <= length; last += longTests ? 1 : 4)
    for (const recovery of recoveriesOf(last)) {
      const interrupted = await interrupt(trial, last)
      expect(interrupted.life.isOver).toBe(true)
      const outcome = await recover(trial, interrupted, recovery)
      if (outcome !== null) expect(outcome).toEqual(expected)
    }
  await Promise.all([...trial.dying, fresh.close()])
  await expectShopToAddUp(shop.database, merchant)
  expect(await stockEverSeen(shop.database, merchant)).toBe(stock)
}

interface Interrupted {
  readonly purchase: Purchase
  /** The steps that are not done, the interrupted one first. */
  readonly left: readonly Step[]
  readonly life: Life
  /** The processor has done what it was sent. */
  readonly answered: Promise<void>
}

/** Does the steps with an instance that dies at its nth effect. */
async function interrupt({ scene, way, fresh, dying }: Trial, last: number | null): Promise<Interrupted> {
  const { shop, merchant } = scene
  const customerId = await createCustomer(shop.database, merchant.merchantId)
  const purchase: Purchase = { customerId, keys: randomUUID(), orderId: '', paymentId: '' }
  await take(way.before, fresh, purchase)
  const life = new Life(last)
  const instance = await openInstance(shop, life)
  try {
    for (const [index, step] of way.steps.entries()) {
      // The dead instance's code runs into errors that no client hears.
      const done = step(instance, purchase).catch((error: unknown) => {
        if (!life.isOver) throw error
      })
      await Promise.race([life.ended, done])
      if (life.isOver) return { purchase, left: way.steps.slice(index), life, answered: instance.answered() }
    }
    return { purchase, left: [], life, answered: instance.answered() }
  } finally {
    dying.push(instance.close())
  }
}

async function take(steps: readonly Step[], instance: MortalInstance, purchase: Purchase): Promise<void> {
  for (const step of steps) await step(instance, purchase)
}

/** Whatever was interrupted. */
async function expectOneOfEach({ shop }: Scene, { customerId }: Purchase, effect: string): Promise<void> {
  expect(faultsOf(await outcomesOf(shop.database, customerId)), effect).toEqual([])
}

/** What finishes an interrupted purchase on a fresh instance, each alone. */
const recoveryNames = ['the client, who sends its requests again', 'the reconciler', 'a webhook'] as const
type Recovery = (typeof recoveryNames)[number]

/** One recovery of each crash, in turn; in `npm run test:long` all of them. */
const recoveriesOf = (last: number): readonly Recovery[] =>
  longTests ? recoveryNames : [found(recoveryNames[last % recoveryNames.length])]

function stepsFor(scene: Scene, recovery: Recovery, left: readonly Step[]): readonly Step[] {
  const { reconcile, deliverEvents } = stepsOf(scene)
  switch (recovery) {
    case 'the client, who sends its requests again':
      return left
    case 'the reconciler':
      return [reconcile, reconcile, deliverEvents, deliverEvents]
    case 'a webhook':
      return [scene.webhook, scene.webhook, deliverEvents, deliverEvents]
    default:
      return recovery satisfies never
  }
}

async function recover(
  { scene, fresh }: Trial,
  { purchase, left, life, answered }: Interrupted,
  recovery: Recovery,
) {
  const { shop } = scene
  const effect = `${recovery}, after a crash before effect ${life.effects.length}: ${life.effects.at(-1) ?? 'none'}`
  // The processor tells of what it has done, and not before. The others may be faster than a request on its way.
  if (recovery === 'a webhook') await answered
  await take(stepsFor(scene, recovery, left), fresh, purchase)
  await expectOneOfEach(scene, purchase, effect)
  if (recovery === 'the client, who sends its requests again')
    return await outcomesOf(shop.database, purchase.customerId)
  const { reconcile, deliverEvents } = stepsOf(scene)
  await take([reconcile, lapse(scene), deliverEvents], fresh, purchase)
  await expectOneOfEach(scene, purchase, effect)
  const [outcome] = await outcomesOf(shop.database, purchase.customerId)
  const open = [outcome?.payments[0]?.status, outcome?.refunds[0]].filter(
    (status) => status === 'PENDING' || status === 'PROCESSING',
  )
  expect(open, effect).toEqual([])
  return null
}

/** The customer doesn't come back in time, and the merchant doesn't either. */
const lapse =
  ({ shop, expire }: Scene): Step =>
  async (instance, { customerId }) => {
    await shop.database`
      UPDATE inventory.reservation SET expires_at = now()
      WHERE status = 'ACTIVE' AND order_id IN (SELECT id FROM ordering.order WHERE customer_id = ${customerId})`
    await expire(customerId)
    await instance.reconcile()
  }
