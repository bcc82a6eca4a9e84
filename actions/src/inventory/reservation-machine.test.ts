import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../state-machine.ts'
import { found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { type ReservationEvent, reservationMachine, type ReservationStatus } from './reservation-machine.ts'
import { expireReservations, releaseReservation } from './stock.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

// Compares the SQL with the table: every event in every state.
const events = {
  // takeOver changes the reservation's owner, not its state: the order's tests cover it.
  commit: (orderId: string) =>
    shop.database`SELECT inventory.commit_reservation(${merchant.merchantId}, ${orderId})`,
  consume: (orderId: string) =>
    shop.database`SELECT inventory.consume_reservation(${merchant.merchantId}, ${orderId})`.catch(
      () => undefined,
    ),
  release: (orderId: string) =>
    shop.database`SELECT inventory.release_reservation_of_order(${merchant.merchantId}, ${orderId}, 'RELEASED')`,
} satisfies Partial<Record<ReservationEvent, (orderId: string) => Promise<unknown>>>

describe('the SQL of an order’s reservation', () => {
  const cases = (Object.keys(reservationMachine) as ReservationStatus[]).flatMap((status) =>
    (Object.keys(events) as (keyof typeof events)[]).map((event) => ({ status, event })),
  )
  test.each(cases)('$event in $status follows the table', async ({ status, event }) => {
    const orderId = crypto.randomUUID()
    const id = await insertReservation(status, orderId)
    await events[event](orderId)
    expect(await statusOf(id)).toBe(next(status, event))
  })
})

describe('the SQL of a reservation without an order', () => {
  test.each(Object.keys(reservationMachine) as ReservationStatus[])(
    'in %s expires as the table says',
    async (status) => {
      const id = await insertReservation(status, null)
      await expireReservations(shop.database)
      expect(await statusOf(id)).toBe(next(status, 'expire'))
    },
  )

  test.each(Object.keys(reservationMachine) as ReservationStatus[])(
    'in %s is released as the table says',
    async (status) => {
      const id = await insertReservation(status, null)
      await releaseReservation(shop.database, merchant.merchantId, id)
      expect(await statusOf(id)).toBe(next(status, 'release'))
    },
  )
})

function next(status: ReservationStatus, event: ReservationEvent): ReservationStatus {
  const to = reservationMachine[status][event]
  return to === refused ? status : to
}

async function insertReservation(status: ReservationStatus, orderId: string | null): Promise<string> {
  const [row] = await shop.database<{ id: string }[]>`
    INSERT INTO inventory.reservation (merchant_id, status, order_id, expires_at)
    VALUES (${merchant.merchantId}, ${status}, ${orderId}, now())
    RETURNING id`
  return found(row).id
}

async function statusOf(id: string): Promise<string> {
  const [row] = await shop.database<{ status: string }[]>`
    SELECT status FROM inventory.reservation WHERE merchant_id = ${merchant.merchantId} AND id = ${id}`
  return found(row).status
}
