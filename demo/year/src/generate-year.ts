import { createHash } from 'node:crypto'
import { Faker, en } from '@faker-js/faker'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import type { Progress } from '@commerce-graph/terminal'
import { chooser, dayMs, orderTimes } from './calendar.ts'
import { DemoError } from './demo-error.ts'
import {
  beginJournal,
  countDay,
  createJournal,
  type Journal,
  placedOrders,
  readJournal,
  rememberOrders,
  type Terms,
} from './journal.ts'
import { type OrderPlan, planOrder } from './order-plan.ts'
import { openOwnShop } from './own-shop.ts'
import {
  playAppointment,
  playArrivals,
  playLater,
  playOrder,
  playReordering,
  playViews,
  type Stage,
} from './play.ts'
import { enterShop } from './shop.ts'
import { installClock, removeClock, setClock, simulatedSearchPath } from './simulated-clock.ts'

export interface YearOptions extends Terms {
  readonly databaseUrl: string
  /** The merchant; a new shop by default. */
  readonly merchantId?: string
  readonly progress: Progress
  /** Stops after the current simulated day. */
  readonly signal?: AbortSignal
}

export interface DemoRun {
  readonly merchantId: string
  /** The key of a shop that was created for the run; it is shown once. */
  readonly key: string | undefined
}

export interface YearSummary extends DemoRun {
  readonly finished: boolean
  /** Orders of this run in the database, including those before an interruption. */
  readonly orders: number
  /** Orders that failed because nothing was in stock. */
  readonly lost: number
  readonly milliseconds: number
}

/**
 * Simulates a shop's last months, day by day, with the shop's own rules. Each day is a transaction: an interrupted
 * run continues with the next day when it is started again, and a finished run is refused.
 */
export async function generateYear(options: YearOptions): Promise<YearSummary> {
  const started = performance.now()
  const admin = postgres(options.databaseUrl, { max: 1, onnotice: () => undefined })
  // One connection, so that everything, including actions, belongs to the day's transaction.
  const sql = postgres(options.databaseUrl, {
    max: 1,
    onnotice: () => undefined,
    connection: { application_name: 'demo', search_path: simulatedSearchPath, synchronous_commit: 'off' },
  })
  try {
    if (!(await installClock(admin))) throw new DemoError('another run is under way in this database')
    try {
      await createJournal(admin)
      const { journal, key } = await openRun(sql, options)
      const { orders, lost, finished } = await live(sql, options, journal)
      const { merchantId } = journal
      return {
        merchantId,
        key,
        orders,
        lost,
        finished,
        milliseconds: Math.round(performance.now() - started),
      }
    } finally {
      await removeClock(admin)
    }
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), admin.end({ timeout: 5 })])
  }
}

/** The interrupted run, or a new one, with its shop. */
async function openRun(sql: Sql, { merchantId, orders, months, seed }: YearOptions) {
  const terms: Terms = { orders, months, seed }
  const id = merchantId ?? ownMerchantId(terms)
  const known = await readJournal(sql, id)
  if (known?.finished === true)
    throw new DemoError(`merchant ${id} has its year already: ask for another --seed, or another --merchant`)
  if (known !== undefined) {
    const { orders: o, months: m, seed: s } = known.terms
    if (o !== orders || m !== months || s !== seed)
      throw new DemoError(
        `merchant ${id} has a run that was interrupted: finish it with --orders ${o} --months ${m} --seed ${s}`,
      )
    return { journal: known, key: undefined }
  }
  const to = Math.floor(Date.now() / dayMs) * dayMs
  const end = new Date(to)
  const from = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - months, end.getUTCDate())
  const journal: Journal = { merchantId: id, terms, from, to, days: 0, finished: false }
  let key: string | undefined
  await inTransaction(sql, async () => {
    await setClock(sql, from)
    if (merchantId === undefined) key = await openOwnShop(sql, fakerOf(seed), id)
    else await mustBeThere(sql, id)
    await beginJournal(sql, journal)
    await forgetEvents(sql)
  })
  return { journal, key }
}

async function mustBeThere(sql: Sql, merchantId: string): Promise<void> {
  const found = await sql`SELECT FROM merchant.merchant WHERE id = ${merchantId}`
  if (found.length === 0) throw new DemoError(`there is no merchant ${merchantId}`)
}

/** The same terms give the same shop, so that a run can be found again. */
function ownMerchantId({ orders, months, seed }: Terms): string {
  const hex = createHash('sha256').update(`demo ${orders} ${months} ${seed}`).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

function fakerOf(seed: number): Faker {
  const faker = new Faker({ locale: [en] })
  faker.seed(seed)
  return faker
}

const appointmentsPerOrder = 1 / 40
const viewsPerOrder = 25
const daysOfDelivery = 3
const unitsPerOrder = 2.1
/** Demand falls with the rank. */
const skew = 0.7

/** A step at its time. */
interface Entry {
  readonly at: number
  readonly play: () => Promise<void>
}

/** By day of the run. */
type Agenda = Map<number, Entry[]>

async function live(sql: Sql, { databaseUrl, orders, progress, signal }: YearOptions, journal: Journal) {
  const { merchantId, terms, from, to } = journal
  const faker = fakerOf(terms.seed)
  const times = orderTimes(faker, orders, from, to)
  const placed = await placedOrders(sql, merchantId)
  const shop = await enterShop(sql, databaseUrl, merchantId)
  const stage: Stage = { sql, shop, faker, seed: terms.seed }
  const weights = shop.items.map((_, rank) => (rank + 1) ** -skew)
  const popularity = chooser(weights)
  const share = weights.map((weight) => weight / weights.reduce((sum, each) => sum + each, 0))
  const days = Math.ceil((to - from) / dayMs)
  const agenda: Agenda = new Map()
  const write = (day: number, entry: Entry) => {
    const entries = agenda.get(day)
    if (entries) entries.push(entry)
    else agenda.set(day, [entry])
  }
  let lost = 0
  let number = 0

  const expect = (plan: OrderPlan, orderId: string) => {
    for (const { at, kind } of plan.later) {
      if (at >= to) continue
      const day = Math.floor((at - from) / dayMs)
      const play = () => playLater(stage, plan, orderId, kind)
      write(day, { at, play })
    }
  }

  progress.start(orders)
  try {
    for (let day = 0; day < days; day += 1) {
      const start = from + day * dayMs
      const todays: OrderPlan[] = []
      for (; number < orders && (times[number] ?? to) < start + dayMs; number += 1) {
        todays.push(planOrder(faker, terms.seed, number, times[number] ?? start, popularity))
      }
      if (day < journal.days) {
        // These days were simulated before an interruption: only their later steps are left.
        for (const plan of todays) {
          const orderId = placed.get(plan.number)
          if (orderId !== undefined) expect(plan, orderId)
        }
        for (const done of [...agenda.keys()].filter((known) => known < journal.days)) agenda.delete(done)
        continue
      }
      if (signal?.aborted === true) return { orders: placed.size, lost, finished: false }
      await inTransaction(sql, async () => {
        const fresh: (readonly [number, string])[] = []
        await setClock(sql, start)
        const daily = Math.max(1, todays.length)
        if (day % 7 === 0) {
          const perWeek = 7 * unitsPerOrder * weekAhead(times, number, start)
          await playReordering(
            stage,
            day,
            share.map((part) => part * perWeek),
          )
        }
        // The first delivery has arrived when the shop opens.
        if (day === 0 || day % 7 === daysOfDelivery) await playArrivals(stage)
        await playViews(
          stage,
          day,
          start,
          share.map((part) => part * daily * viewsPerOrder),
        )
        for (const plan of todays) {
          const play = async () => {
            const orderId = await playOrder(stage, plan)
            if (orderId === undefined) lost += 1
            else {
              fresh.push([plan.number, orderId])
              expect(plan, orderId)
            }
            if (faker.number.float() < appointmentsPerOrder)
              await playAppointment(stage, plan.customer, plan.at, to)
          }
          write(day, { at: plan.at, play })
        }
        await playDay(stage, agenda, day)
        await rememberOrders(sql, merchantId, fresh)
        await countDay(sql, merchantId, day === days - 1)
        await forgetEvents(sql)
        for (const [planned, orderId] of fresh) placed.set(planned, orderId)
      })
      progress.update(placed.size + lost, new Date(start).toISOString().slice(0, 10))
    }
    return { orders: placed.size, lost, finished: true }
  } finally {
    progress.stop()
    await shop.close()
  }
}

/** The approximate number of orders a day in the next week. */
function weekAhead(times: Float64Array, next: number, start: number): number {
  let count = 0
  while ((times[next + count] ?? Infinity) < start + 7 * dayMs) count += 1
  return Math.max(1, count / 7)
}

/** All steps of a day in order, including those that other steps add to the same day. */
async function playDay(stage: Stage, agenda: Agenda, day: number) {
  for (;;) {
    const events = agenda.get(day) ?? []
    agenda.delete(day)
    if (events.length === 0) return
    events.sort((one, other) => one.at - other.at)
    for (const { at, play } of events) {
      await setClock(stage.sql, at)
      await play()
    }
  }
}

async function inTransaction(sql: Sql, work: () => Promise<void>): Promise<void> {
  await sql.unsafe('BEGIN')
  try {
    await work()
    await sql.unsafe('COMMIT')
  } catch (error) {
    await sql.unsafe('ROLLBACK')
    throw error
  }
}

/**
 * Deletes the events that Hasura's triggers wrote for the day, because past events must cause no mails and
 * notifications. They are deleted in the transaction that wrote them (rows in progress that are visible are its own,
 * savepoints included), so no delivery can see them.
 */
async function forgetEvents(sql: Sql): Promise<void> {
  const [queue] = await sql<
    { there: boolean }[]
  >`SELECT to_regclass('hdb_catalog.event_log') IS NOT NULL AS there`
  if (queue?.there === true)
    await sql`
      DELETE FROM hdb_catalog.event_log
      WHERE pg_catalog.pg_xact_status(
        ((pg_catalog.pg_current_xact_id()::text::bigint >> 32 << 32) + xmin::text::bigint)::text::xid8
      ) = 'in progress'`
}
