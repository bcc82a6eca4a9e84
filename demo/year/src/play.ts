import { type Answer, lapseUnpaidOrders } from '@commerce-graph/actions'
import type { Faker } from '@faker-js/faker'
import type { Sql } from '@commerce-graph/postgres-driver'
import { dayMs, hour, minute } from './calendar.ts'
import { type LaterKind, type OrderPlan, planCustomer } from './order-plan.ts'
import type { Shop } from './shop.ts'
import { setClock } from './simulated-clock.ts'
import { declinedCard } from './simulated-processor.ts'

/** The shared state of the year's steps. */
export interface Stage {
  readonly sql: Sql
  readonly shop: Shop
  readonly faker: Faker
  readonly seed: number
}

/** The data of an answer that must succeed by the shop's rules. */
function done(what: string, answer: Answer): Readonly<Record<string, unknown>> {
  if (answer.kind === 'done') return answer.data
  throw new Error(`${what} was refused: ${JSON.stringify(answer)}`)
}

/**
 * Places an order and simulates it up to its payment. Returns its id, or undefined if none of the wanted items was
 * in stock.
 */
export async function playOrder(stage: Stage, plan: OrderPlan): Promise<string | undefined> {
  const { sql, shop } = stage
  const customer = planCustomer(stage.faker, stage.seed, plan.customer)
  await setClock(sql, plan.at)
  if (plan.isNewCustomer) await register(stage, customer)
  const orderId = await place(stage, plan, customer)
  if (orderId === undefined || plan.fate === 'unpaid') {
    if (orderId !== undefined) {
      await setClock(sql, plan.at + hour + minute)
      await lapseUnpaidOrders(sql)
    }
    return orderId
  }
  if (plan.fate === 'changed mind') {
    await setClock(sql, plan.at + 5 * minute)
    done('cancelOrder', await shop.call('cancelOrder', { id: orderId, reason: 'Ordered by mistake' }))
    return orderId
  }
  await setClock(sql, plan.at + plan.paidAfter)
  const pay = (method: string, paymentMethodId: string | null) =>
    shop.call('processPayment', { input: { orderId, method, paymentMethodId } })
  if (plan.method === 'CARD' && plan.declinedFirst) await pay('CARD', declinedCard)
  done('processPayment', await pay(plan.method, plan.method === 'CARD' ? 'pm_card_visa' : null))
  return orderId
}

async function register({ sql, shop }: Stage, customer: ReturnType<typeof planCustomer>): Promise<void> {
  const { merchantId } = shop
  const { id, email, name, phone, marketing, address } = customer
  await sql`
    INSERT INTO crm.customer (merchant_id, id, email, name, phone, marketing_opt_in)
    VALUES (${merchantId}, ${id}, ${email}, ${name}, ${phone}, ${marketing})
    ON CONFLICT DO NOTHING`
  await sql`
    INSERT INTO crm.address (merchant_id, customer_id, line1, city, state, postal_code, country)
    VALUES (${merchantId}, ${id}, ${address.line1}, ${address.city}, ${address.state}, ${address.postalCode}, ${address.country})`
}

async function place(stage: Stage, plan: OrderPlan, customer: ReturnType<typeof planCustomer>) {
  const { shop } = stage
  const method = shop.shippingMethodIds
  const terms = {
    shippingAddress: customer.address,
    shippingMethodId: method[plan.number % Math.max(1, method.length)] ?? null,
  }
  const coupon = await couponFor(stage, plan, customer.id)
  for (const couponCode of coupon === null ? [null] : [coupon, null]) {
    for (const attempt of plan.attempts) {
      const items = attempt.map(({ item, quantity }) => {
        const { productId, variantId } = shop.items[item] ?? { productId: '', variantId: null }
        return { productId, variantId, quantity }
      })
      const answer = await order(stage, plan, customer.id, items, { ...terms, couponCode })
      if (answer.kind === 'done') return String(answer.data['orderId'])
      if (answer.kind === 'invalid' && couponCode !== null) break
      if (answer.kind === 'invalid') done('the order', answer)
    }
  }
  return undefined
}

async function order(
  { shop }: Stage,
  { throughCart }: OrderPlan,
  customerId: string,
  items: readonly object[],
  terms: object,
): Promise<Answer> {
  if (!throughCart) return shop.call('createOrder', { input: { customerId, items, ...terms } })
  const cart = await shop.call('createCart', { input: { customerId, items } })
  if (cart.kind !== 'done') return cart
  return shop.call('checkoutCart', { id: cart.data['cartId'], input: terms })
}

/** A code that the customer tries; the shop decides whether it applies. */
async function couponFor({ sql, shop }: Stage, plan: OrderPlan, customerId: string): Promise<string | null> {
  const rewardId = shop.rewardIds[0]
  if (plan.wantsReward && rewardId !== undefined && !plan.isNewCustomer) {
    const answer = await shop.call('redeemLoyaltyReward', { input: { customerId, rewardId } })
    if (answer.kind === 'done') {
      const [entry] = await sql<{ code: string }[]>`
        SELECT coupon_code AS code FROM crm.loyalty_entry
        WHERE merchant_id = ${shop.merchantId} AND customer_id = ${customerId} AND type = 'REDEEMED'
        ORDER BY created_at DESC, id DESC LIMIT 1`
      if (entry) return entry.code
    }
  }
  return plan.wantsCoupon
    ? (shop.couponCodes[plan.number % Math.max(1, shop.couponCodes.length)] ?? null)
    : null
}

/** A step of an order after its payment. */
export async function playLater(
  stage: Stage,
  plan: OrderPlan,
  orderId: string,
  kind: LaterKind,
): Promise<void> {
  const { shop } = stage
  switch (kind) {
    case 'cancel':
      done('cancelOrder', await shop.call('cancelOrder', { id: orderId, reason: 'Found it elsewhere' }))
      return
    case 'process':
      done('processOrder', await shop.call('processOrder', { id: orderId }))
      return
    case 'ship': {
      const input = { carrier: 'UPS', trackingNumber: `1Z${String(plan.number).padStart(10, '0')}` }
      done('fulfillOrder', await shop.call('fulfillOrder', { id: orderId, input }))
      return
    }
    case 'deliver':
      done('markOrderDelivered', await shop.call('markOrderDelivered', { id: orderId }))
      return
    case 'refund': {
      const [line] = await linesOf(stage, orderId)
      const items = [{ orderItemId: line?.id, quantity: 1 }]
      const input = { items, reason: 'Arrived broken' }
      done('refundOrder', await shop.call('refundOrder', { id: orderId, input }))
      return
    }
    case 'ask to return': {
      const lines = await linesOf(stage, orderId)
      const items = lines.map(({ id, quantity }) => ({
        orderItemId: id,
        quantity,
        reason: 'NOT_AS_DESCRIBED',
      }))
      const asked = done('requestReturn', await shop.call('requestReturn', { input: { orderId, items } }))
      done('approveReturn', await shop.call('approveReturn', { id: asked['returnId'] }))
      return
    }
    case 'take back': {
      const id = await returnOf(stage, orderId)
      const restock = (await linesOf(stage, orderId)).map((line) => ({
        orderItemId: line.id,
        quantity: line.quantity,
      }))
      done('receiveReturn', await shop.call('receiveReturn', { id, input: { restock } }))
      done('refundReturn', await shop.call('refundReturn', { id, input: { shipping: false } }))
      return
    }
    case 'review':
      return review(stage, plan, orderId)
    default:
      kind satisfies never
  }
}

const linesOf = ({ sql, shop }: Stage, orderId: string) => sql<{ id: string; quantity: number }[]>`
  SELECT id, quantity FROM ordering.order_item WHERE merchant_id = ${shop.merchantId} AND order_id = ${orderId} ORDER BY position`

async function returnOf({ sql, shop }: Stage, orderId: string): Promise<string | undefined> {
  const [found] = await sql<{ id: string }[]>`
    SELECT id FROM ordering.order_return WHERE merchant_id = ${shop.merchantId} AND order_id = ${orderId}`
  return found?.id
}

async function review({ sql, shop, faker, seed }: Stage, plan: OrderPlan, orderId: string): Promise<void> {
  const { id, name } = planCustomer(faker, seed, plan.customer)
  const rating = [5, 5, 5, 4, 4, 4, 3, 5, 2, 1][plan.number % 10] ?? 5
  await sql`
    INSERT INTO catalog.review (merchant_id, product_id, customer_id, author_name, rating, body, status)
    SELECT merchant_id, product_id, ${id}, ${name}, ${rating}, ${faker.lorem.sentence()}, 'APPROVED'
    FROM ordering.order_item WHERE merchant_id = ${shop.merchantId} AND order_id = ${orderId} AND position = 0`
}

/** Orders the sales of about five weeks from the supplier, and removes broken items from stock. */
export async function playReordering(
  { sql, shop, faker, seed }: Stage,
  day: number,
  weekly: readonly number[],
) {
  faker.seed([seed, 2_000_000_000 + day])
  const levels = await sql<{ sku: string; available: number }[]>`
    SELECT i.sku, coalesce(sum(l.available), 0)::integer AS available
    FROM inventory.stock_item i
    LEFT JOIN inventory.stock_level l ON l.merchant_id = i.merchant_id AND l.stock_item_id = i.id
    WHERE i.merchant_id = ${shop.merchantId} GROUP BY i.sku`
  const available = new Map(levels.map((level) => [level.sku, level.available]))
  for (const [index, { sku }] of shop.items.entries()) {
    const wanted = Math.ceil(5 * (weekly[index] ?? 0)) + 2
    const left = available.get(sku) ?? 0
    if (wanted - left > wanted / 3) {
      const input = { sku, quantity: wanted - left, reference: `Week ${day / 7 + 1}` }
      done('createIncomingStock', await shop.call('createIncomingStock', { input }))
    } else if (faker.number.float() < 0.05 && left > 5) {
      const input = { sku, delta: -1, reason: 'Found broken' }
      done('adjustInventory', await shop.call('adjustInventory', { input }))
    }
  }
}

/** Receives everything that the supplier has sent. */
export async function playArrivals({ sql, shop }: Stage): Promise<void> {
  const incoming = await sql<{ id: string }[]>`
    SELECT id FROM inventory.incoming_stock WHERE merchant_id = ${shop.merchantId} AND reference LIKE 'Week %' AND received_at IS NULL
    ORDER BY id`
  for (const { id } of incoming)
    done('receiveIncomingStock', await shop.call('receiveIncomingStock', { id, quantity: null }))
}

/** Shoppers view more products than they buy. Views are counted by product for some hours of the day. */
export async function playViews(
  { sql, shop, faker, seed }: Stage,
  day: number,
  start: number,
  views: readonly number[],
) {
  faker.seed([seed, 3_000_000_000 + day])
  const rows = new Map<string, { merchant_id: string; bucket: Date; product_id: string; views: number }>()
  for (const [index, { productId }] of shop.items.entries()) {
    const count = Math.round((views[index] ?? 0) * faker.number.float({ min: 0.5, max: 1.5 }))
    if (count === 0) continue
    const bucket = new Date(start + faker.number.int({ min: 24, max: 95 }) * 15 * minute)
    const key = `${productId} ${bucket.getTime()}`
    const before = rows.get(key)?.views ?? 0
    rows.set(key, { merchant_id: shop.merchantId, bucket, product_id: productId, views: before + count })
  }
  if (rows.size === 0) return
  await sql`
    INSERT INTO analytics.product_view ${sql([...rows.values()])}
    ON CONFLICT (merchant_id, bucket, product_id) DO UPDATE SET views = product_view.views + excluded.views`
}

/** A customer books an appointment in the next days, if one is free, and comes or doesn't. */
export async function playAppointment(
  stage: Stage,
  customer: number,
  at: number,
  end: number,
): Promise<void> {
  const { sql, shop, faker, seed } = stage
  const serviceId = shop.serviceIds[customer % Math.max(1, shop.serviceIds.length)]
  if (serviceId === undefined) return
  const { id: customerId } = planCustomer(faker, seed, customer)
  await setClock(sql, at)
  const [slot] = await sql<{ start: Date; finish: Date }[]>`
    SELECT start_time AS start, end_time AS finish
    FROM booking.slots(${shop.merchantId}, ${serviceId}, NULL, ${new Date(at + hour)}, ${new Date(at + 4 * dayMs)})
    ORDER BY start_time, staff_id OFFSET ${faker.number.int({ max: 30 })} LIMIT 1`
  // Otherwise the platform would send reminders of appointments after the end of the year.
  if (slot === undefined || slot.finish.getTime() > end) return
  const startTime = slot.start.toISOString().replace(/\.\d+/, '')
  const booked = done(
    'createAppointment',
    await shop.call('createAppointment', { input: { serviceId, customerId, startTime } }),
  )
  const id = booked['appointmentId']
  const change = async (action: string) => done(action, await shop.call(action, { id }))
  const luck = faker.number.float()
  if (luck < 0.1) {
    await change('cancelAppointment')
    return
  }
  await change('confirmAppointment')
  await setClock(sql, slot.start.getTime() + minute)
  if (luck < 0.16) {
    await change('markAppointmentNoShow')
    return
  }
  await change('startAppointment')
  await setClock(sql, slot.finish.getTime())
  await change('completeAppointment')
}
