/**
 * Kills a platform at random moments of payments, webhooks or reading, and looks at what has become of them.
 *
 *   npm run soak -- payments --rounds 100 --seed 1
 *   npm run soak -- webhooks --rounds 100 --seed 1
 *   npm run soak -- cache --rounds 100 --seed 1
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { readArguments } from '@commerce-graph/terminal'
import { z } from 'zod'
import { killPayments } from '../soak/kill-payments.ts'
import { killWebhooks } from '../soak/kill-webhooks.ts'
import { readKeptAnswers } from '../soak/read-kept-answers.ts'
import { hasRedis, RedisProcess } from '../support/redis-process.ts'

const usage = `npm run soak -- payments|webhooks|cache [--rounds 100] [--seed <any whole number>] [--pause <seconds>]

payments: starts a platform over a Postgres of its own, and a payment sandbox that is never killed. Clients buy by card, with 3-D Secure, with
reserved money and by direct debit; they refund and cancel. Each round kills the platform with SIGKILL after up to 1.5 seconds. Most
clients send their requests again with the same Idempotency-Key, some never come back. In the end there is one order, one charge and one
mail for each purchase, equal amounts, and the stock is right; otherwise it prints what is wrong, and exits with 1.

webhooks: rows change, some changes are rolled back, and a receiver fails in every way now and then: it refuses connections, hangs, answers
500, redirects, answers too much or without an end, breaks off, sends its headers one by one. Other endpoints never take anything. Each
round kills the platform, every fourth one restarts Postgres instead, and every third one a Redis, if there is a redis-server. In the end
each committed change has arrived, in the order of its record, with one id and a valid signature, and nothing that was rolled back; and a
receiver that never fails had each change within two minutes.

cache: writers give products new versions, and clients read them through two gateways with ANSWER_CACHE=on. Every other round kills the
second gateway, the others end the connections by which the gateways follow the log. No answer may be older than the last commit that was
confirmed before its request was sent, nor be of two commits.

  --rounds N   kills, or interruptions; 100 unless said (about five minutes on two cores)
  --pause S    of cache: the longest time between two interruptions, 1.5 seconds unless said. A restart takes the clients' processor,
               so longer pauses give many more reads
  --seed S     determines the moments of the kills and what the clients do
  -h, --help   this text`

const {
  rounds,
  pause,
  seed,
  words: [what],
} = readArguments({
  usage,
  options: { rounds: { type: 'string' }, pause: { type: 'string' }, seed: { type: 'string' } },
  takesWords: true,
  values: z.object({
    rounds: z.coerce.number().int().min(1).max(100_000).default(100),
    pause: z.coerce.number().positive().max(3_600).default(1.5),
    seed: z.coerce
      .number()
      .int()
      .default(() => Date.now() % 1_000_000),
    words: z.tuple([z.enum(['payments', 'webhooks', 'cache'])], 'Say payments, webhooks or cache'),
  }),
})

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'soak-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
let server = await startLocalPostgres({ dataDir: folder, databases: ['shop'] })
started.defer(() => server.stop())
const port = Number(new URL(server.url).port)

const redis = what === 'webhooks' && hasRedis ? await RedisProcess.start() : undefined
started.defer(() => redis?.stop())
console.log(`seed ${seed}, ${rounds} rounds`)
const common = { databaseUrl: server.url, rounds, seed, tell: (line: string) => console.log(line) }
async function soak(): Promise<{ readonly faults: readonly string[] }> {
  switch (what) {
    case 'payments':
      return killPayments({ ...common, leaving: 0.2 })
    case 'cache':
      return readKeptAnswers({ ...common, longestRound: pause * 1_000 })
    default:
      return killWebhooks({
        ...common,
        redis: redis && {
          url: redis.url,
          async restart() {
            await redis.stop()
            await redis.start()
          },
        },
        async restartPostgres() {
          await server.stop()
          server = await startLocalPostgres({ dataDir: folder, databases: ['shop'], port })
        },
      })
  }
}

const { faults, ...figures } = await soak()
console.log(figures)
for (const fault of faults.slice(0, 50)) console.log(`FAULT ${fault}`)
console.log(`${rounds} rounds, ${faults.length} faults (seed ${seed})`)
process.exitCode = faults.length === 0 ? 0 : 1
