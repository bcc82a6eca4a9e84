/**
 * Kills engines with SIGKILL at random moments of mutations and of event deliveries. Prints what is lost, doubled or
 * half done, and exits with 1 if there is any.
 *
 *   node tests/bin/kill-engine.ts [--kills 100] [--seed 1]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { z } from 'zod'
import { killEngines } from '../support/kill-engine.ts'

const options = z
  .object({
    kills: z.coerce.number().int().min(1).max(100_000).default(100),
    seed: z.coerce.number().int().default(1),
  })
  .parse(
    parseArgs({
      options: { kills: { type: 'string' }, seed: { type: 'string' } },
    }).values,
  )

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'kill-engine-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
const server = await startLocalPostgres({ dataDir: folder, databases: ['shop'] })
started.defer(() => server.stop())

const { faults, ...figures } = await killEngines({
  databaseUrl: server.url,
  kills: options.kills,
  seed: options.seed,
  tell: (line) => console.log(line),
})
console.log(figures)
for (const [fault, ids] of Object.entries(faults)) {
  console.log(`${fault}: ${ids.length}${ids.length > 0 ? ` (${ids.slice(0, 10).join(', ')})` : ''}`)
  if (ids.length > 0) process.exitCode = 1
}
