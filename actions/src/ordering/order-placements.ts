import type { MerchantId } from '@commerce-graph/contract/ids'
import { actorVariables } from '../action/acting-as.ts'
import type { ActionCall } from '../action/action.ts'
import type { IdempotencyKeys, Once } from '../action/idempotency-keys.ts'
import type { ListedRequest } from '../action/keyed-request.ts'
import { ownerOf } from '../action/session.ts'
import type { Database } from '../database.ts'
import type { KeptFields } from '../metadata/index.ts'
import * as ordering from '../sql/generated/ordering.ts'
import { orderTransitions } from './order-machine.ts'
import { ListTurns } from './list-turns.ts'
import { later, OrderQueue } from './order-queue.ts'
import type { Address, OrderLine } from './orders.ts'

/** The terms of an order besides its lines, for orders from a cart and without one. */
interface OrderTerms {
  readonly billingAddress: Address | null
  readonly shippingMethodId: string | null
  /** An ACTIVE reservation to take over. */
  readonly reservationId: string | null
  /** The coupon to place it with; null for the cart's, if it comes from one that has one. */
  readonly couponCode: string | null
  readonly notes: string | null
}

export interface OrderInput extends OrderTerms {
  readonly customerId: string
  readonly shippingAddress: Address
  readonly lines: readonly OrderLine[]
  /** The merchant's own fields of the order. */
  readonly kept: KeptFields
}

/** Null for what the cart says already. */
export interface CheckoutInput extends OrderTerms {
  readonly cartId: string
  readonly shippingAddress: Address | null
  /** Whose order a guest's cart becomes. */
  readonly customerId: string | null
  /** The total that the customer saw, in minor units. An order with another total isn't placed. */
  readonly expectedTotal: number | null
}

type Request = ListedRequest & ({ readonly order: object } | { readonly checkout: object })
type ListedAnswer = Exclude<ordering.PlaceOrdersAnswer[number], { readonly outcome: 'later' }>

/** Of all merchants. More sessions at once place fewer orders in sum (docs/performance.md). */
const mostListsAtOnce = 4

/** A cart's lines aren't known before it is read. */
const linesOfCart = 20

/**
 * Places orders, those of a merchant that come at the same time in one transaction: each is checked, priced, reserved and
 * written, or changes nothing. With an Idempotency-Key an order is placed once. The promises resolve when the disk has the
 * order; those of repeated calls too, because the first one may still wait for that.
 *
 * They throw the database's refusal of fields that the merchant keeps, which defineAction answers.
 */
export class OrderPlacements {
  readonly #database: Database
  readonly #keys: IdempotencyKeys
  readonly #turns = new ListTurns(mostListsAtOnce)
  /** By merchant, orders and checkouts apart. */
  readonly #queues = new Map<string, OrderQueue<Request, ListedAnswer>>()

  /** @param database no caller's leaving ends its statements: they are those of several callers */
  constructor(database: Database, keys: IdempotencyKeys) {
    this.#database = database
    this.#keys = keys
  }

  async place(call: ActionCall, order: OrderInput): Promise<Once<ordering.PlacedAnswer>> {
    const { session } = call
    return this.#answer(call, order.lines.length, {
      order: { ...order, byShopper: session.role === 'customer', session: actorVariables(session) },
    })
  }

  /** Turns a cart into an order, once; asked again it answers with the same order. */
  async checkOut(call: ActionCall, checkout: CheckoutInput): Promise<Once<ordering.PlacedAnswer>> {
    const { session } = call
    return this.#answer(call, linesOfCart, {
      checkout: { ...checkout, ownerId: ownerOf(session), session: actorVariables(session) },
    })
  }

  async #answer(
    call: ActionCall,
    lines: number,
    asked: { readonly order: object } | { readonly checkout: object },
  ): Promise<Once<ordering.PlacedAnswer>> {
    const { session, idempotencyKey: key } = call
    const queue = this.#queueOf(session.merchantId, 'order' in asked ? 'orders' : 'checkouts')
    const answer = await queue.add({ ...this.#keys.listed(call), ...asked }, lines)
    switch (answer.outcome) {
      case 'conflict':
        return { outcome: 'key_reused', key: key?.value ?? '' }
      case 'repeated':
        if (key !== null) key.replayed = true
        break
      case 'new':
        break
      default:
        return answer satisfies never
    }
    if (answer.response.outcome === 'placed') await this.#keys.onDisk()
    return answer.response
  }

  #queueOf(merchantId: MerchantId, kind: 'orders' | 'checkouts'): OrderQueue<Request, ListedAnswer> {
    const name = `${kind} of ${merchantId}`
    const found = this.#queues.get(name)
    if (found !== undefined) return found
    const queue = new OrderQueue<Request, ListedAnswer>(
      (requests) => this.#place(merchantId, requests),
      this.#turns,
      () => this.#queues.delete(name),
    )
    this.#queues.set(name, queue)
    return queue
  }

  async #place(
    merchantId: MerchantId,
    requests: readonly Request[],
  ): Promise<readonly (ListedAnswer | typeof later)[]> {
    const sql = this.#database
    const answers = await ordering.placeOrders(
      { sql, actingAs: sql`platform.flush_later()` },
      { merchantId, requests, pay: orderTransitions.pay },
    )
    return answers.map((answer) => (answer.outcome === 'later' ? later : answer))
  }
}
