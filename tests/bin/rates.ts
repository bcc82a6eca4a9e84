import { PlatformProcess } from '@commerce-graph/platform/testing'
import { readArguments } from '@commerce-graph/terminal'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { openEmptyShop } from '../support/empty-shop.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { RedisProcess } from '../support/redis-process.ts'
import { sendRequests } from '../support/send-requests.ts'

const usage = `npm run rates -- [--minutes <1 to 120, 3 unless said>]

Sends more requests than the plans allow to three gateways on one Redis, which stops in the middle and comes back. Prints the admitted
requests by minute and plan. Ends with 1 if a count differs from the plan by more than 1 %.`

const { minutes } = readArguments({
  usage,
  options: { minutes: { type: 'string' } },
  values: z.object({ minutes: z.coerce.number().int().min(1).max(120).default(3) }),
})

const tolerance = 0.01
const atOnce = 6
const minute = 60_000
const missed: string[] = []

function report(what: string, admitted: number, planned: number): void {
  const off = (admitted - planned) / planned
  if (Math.abs(off) > tolerance) missed.push(what)
  console.log(
    `${what.padEnd(32)} admitted ${admitted}, the plan says ${planned} (${(off * 100).toFixed(2)} %)`,
  )
}

await using started = new AsyncDisposableStack()
const platformProcess = await PlatformProcess.create()
started.defer(() => platformProcess.remove())
const platform = await platformProcess.start()
const redis = await RedisProcess.start()
started.defer(() => redis.stop())
const sql = postgres(platform.databaseUrl, { max: 1 })
started.defer(() => sql.end())

async function merchantOn(plan: string) {
  const shop = await openEmptyShop(platform.databaseUrl)
  await sql`UPDATE merchant.subscription SET plan = ${plan} WHERE merchant_id = ${shop.merchantId}`
  return shop
}

const agreed = await merchantOn('FREE')
const gateways = await Promise.all(
  [1, 2, 3].map(() =>
    startGatewayProcess(platform.databaseUrl, redis.url, {
      LIMIT_RATE_CUSTOM: `${agreed.merchantId}=2000/100000/100000`,
    }),
  ),
)
started.defer(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()))
})
const urls = gateways.map(({ url }) => `${url}/graphql`)

/**
 * Sends at a steady rate until the given number of windows is over. Returns the number of admitted requests in each.
 */
async function admittedByMinute(key: string): Promise<readonly number[]> {
  const began = Date.now()
  const admitted = Array.from({ length: minutes }, () => 0)
  // The windows begin with the first request, a moment after this clock starts.
  for (let at = 0; at < minutes; at += 1) {
    const end = began + (at + 1) * minute - 200
    while (Date.now() < end) {
      const statuses = await sendRequests({ urls, key, requests: atOnce * 3, atOnce })
      admitted[at] = (admitted[at] ?? 0) + (statuses[200] ?? 0)
      await sleep(150)
    }
    await sleep(began + (at + 1) * minute + 400 - Date.now())
  }
  return admitted
}

async function holdPlan(plan: string, perMinute: number, burst: number): Promise<void> {
  const { key } = await merchantOn(plan)
  for (const [index, admitted] of (await admittedByMinute(key)).entries())
    report(`${plan}, minute ${index + 1}`, admitted, index === 0 ? burst : perMinute)
}

async function holdHour(): Promise<void> {
  const { 200: admitted = 0 } = await sendRequests({ urls, key: agreed.key, requests: 4_000, atOnce })
  report('2,000 an hour', admitted, 2_000)
}

async function health(): Promise<string> {
  const reports = await Promise.all(gateways.map(async ({ url }) => (await fetch(`${url}/readyz`)).text()))
  return [...new Set(reports)].join(' ')
}

async function loseRedis(): Promise<void> {
  const { key } = await merchantOn('ENTERPRISE')
  const sending = sendRequests({ urls, key, requests: 10_000, atOnce })
  await sleep(1_000)
  await redis.stop()
  await sleep(1_000)
  console.log(`Redis is stopped: ${await health()}`)
  await redis.start()
  const statuses = await sending
  if (Object.keys(statuses).join() !== '200') missed.push('going on without Redis')
  console.log(`Enterprise, 10,000 requests meanwhile: answered ${JSON.stringify(statuses)}`)
  await sleep(2_000)
  console.log(`Redis is back: ${await health()}`)
  const { key: next } = await merchantOn('PRO')
  const { 200: admitted = 0 } = await sendRequests({ urls, key: next, requests: 3_000, atOnce })
  report('PRO after that, burst', admitted, 1_000)
}

await holdHour()
await Promise.all([holdPlan('FREE', 50, 100), holdPlan('PRO', 500, 1_000)])
await loseRedis()
if (missed.length > 0) {
  console.error(`Missed: ${missed.join(', ')}`)
  process.exitCode = 1
}
