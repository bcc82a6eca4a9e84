import type { Faker } from '@faker-js/faker'
import { chooser, dayMs, hour, minute } from './calendar.ts'

/** The outcome of an order. */
type Fate = 'kept' | 'unpaid' | 'changed mind' | 'cancelled'

/** All properties of an order that its number and the run's seed determine. */
export interface OrderPlan {
  readonly number: number
  readonly at: number
  /** Customer numbers begin at 0; a new customer registers for the order. */
  readonly customer: number
  readonly isNewCustomer: boolean
  /** Items by their rank in popularity, tried in this order when something is out of stock. */
  readonly attempts: readonly (readonly { readonly item: number; readonly quantity: number }[])[]
  readonly throughCart: boolean
  readonly wantsCoupon: boolean
  readonly wantsReward: boolean
  readonly method: 'CARD' | 'BANK_TRANSFER'
  readonly declinedFirst: boolean
  readonly paidAfter: number
  readonly fate: Fate
  /** Later steps, in the order of time. */
  readonly later: readonly { readonly at: number; readonly kind: LaterKind }[]
}

export type LaterKind =
  | 'cancel'
  | 'process'
  | 'ship'
  | 'deliver'
  | 'refund'
  | 'ask to return'
  | 'take back'
  | 'review'

/** The percentage of orders by new customers. */
const newCustomers = 35
const attempts = 4
const fateOf = chooser([92, 3, 1, 4])
const fates: readonly Fate[] = ['kept', 'unpaid', 'changed mind', 'cancelled']
const linesOf = chooser([60, 25, 10, 5])
const quantityOf = chooser([80, 14, 4, 2])

const customersBefore = (number: number): number => Math.floor((number * newCustomers) / 100)

/** @param popularity picks an item, given a number below 1 */
export function planOrder(
  faker: Faker,
  seed: number,
  number: number,
  at: number,
  popularity: (random: number) => number,
): OrderPlan {
  faker.seed([seed, number])
  const before = customersBefore(number)
  const isNewCustomer = number === 0 || customersBefore(number + 1) > before
  // Recent customers are more likely to order again.
  const customer = isNewCustomer ? before : before - 1 - Math.floor(faker.number.float() ** 1.5 * before)
  const chance = (percent: number) => faker.number.float() * 100 < percent
  const fate = fates[fateOf(faker.number.float())] ?? 'kept'
  const paidAfter = faker.number.int({ min: minute, max: 20 * minute })
  return {
    number,
    at,
    customer: Math.max(0, customer),
    isNewCustomer,
    attempts: Array.from({ length: attempts }, () => planLines(faker, popularity)),
    throughCart: chance(40),
    wantsCoupon: chance(10),
    wantsReward: chance(3),
    method: chance(92) ? 'CARD' : 'BANK_TRANSFER',
    declinedFirst: chance(4),
    paidAfter,
    fate,
    later: planLater(faker, at + paidAfter, fate),
  }
}

function planLines(faker: Faker, popularity: (random: number) => number) {
  const lines = new Map<number, number>()
  for (let count = linesOf(faker.number.float()) + 1; count > 0; count -= 1) {
    lines.set(popularity(faker.number.float()), quantityOf(faker.number.float()) + 1)
  }
  return [...lines].map(([item, quantity]) => ({ item, quantity }))
}

function planLater(faker: Faker, paidAt: number, fate: Fate): OrderPlan['later'] {
  const between = (min: number, max: number) => faker.number.int({ min, max })
  if (fate === 'cancelled') return [{ at: paidAt + between(hour, 10 * hour), kind: 'cancel' }]
  if (fate !== 'kept') return []
  const processed = paidAt + between(hour, 16 * hour)
  const shipped = processed + between(2 * hour, 30 * hour)
  const delivered = shipped + between(dayMs, 6 * dayMs)
  const reviewed = delivered + between(2 * dayMs, 20 * dayMs)
  return [
    { at: processed, kind: 'process' },
    { at: shipped, kind: 'ship' },
    { at: delivered, kind: 'deliver' },
    ...planComplaint(faker, delivered),
    ...(faker.number.float() < 0.1 ? [{ at: reviewed, kind: 'review' as const }] : []),
  ]
}

/** Some orders get a refund for a broken item, and some are returned. */
function planComplaint(faker: Faker, delivered: number): OrderPlan['later'] {
  const luck = faker.number.float()
  const asked = delivered + faker.number.int({ min: hour, max: 12 * dayMs })
  const back = asked + faker.number.int({ min: 2 * dayMs, max: 8 * dayMs })
  if (luck < 0.02) return [{ at: asked, kind: 'refund' }]
  if (luck > 0.05) return []
  return [
    { at: asked, kind: 'ask to return' },
    { at: back, kind: 'take back' },
  ]
}

export interface CustomerPlan {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly marketing: boolean
  readonly address: {
    readonly line1: string
    readonly city: string
    readonly state: string
    readonly postalCode: string
    readonly country: string
  }
}

const customerSeeds = 1_000_000_000

/** A customer by number: the same one for each call. */
export function planCustomer(faker: Faker, seed: number, number: number): CustomerPlan {
  faker.seed([seed, customerSeeds + number])
  const firstName = faker.person.firstName()
  const lastName = faker.person.lastName()
  return {
    id: faker.string.uuid(),
    name: `${firstName} ${lastName}`,
    // The domain is reserved for examples.
    email: `${firstName}.${lastName}.${number}@demo.example`.toLowerCase().replaceAll(/[^a-z0-9.@]/g, ''),
    phone: `+1 555 ${faker.string.numeric(7)}`,
    marketing: faker.datatype.boolean(),
    address: {
      line1: faker.location.streetAddress(),
      city: faker.location.city(),
      state: faker.location.state({ abbreviated: true }),
      postalCode: faker.location.zipCode('#####'),
      country: 'US',
    },
  }
}
