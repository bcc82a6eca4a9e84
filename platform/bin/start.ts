import { LocalPostgresError } from '@commerce-graph/local-postgres'
import { join } from 'node:path'
import { readConfiguration } from '../src/configuration.ts'
import { type Platform, startPlatform } from '../src/platform.ts'
import { PlatformError } from '../src/platform-error.ts'
import { welcome } from '../src/welcome.ts'

const STOP_TIMEOUT_MS = 40_000

const stopRequested = new Promise<NodeJS.Signals>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Ctrl-C arrives more than once: from the terminal, from npm and from scripts/run.mjs.
    process.on(signal, resolve)
  }
})

async function main(): Promise<number> {
  const config = readConfiguration(process.env)
  const starting = startPlatform(config, (message) => console.log(message))
  const early = await Promise.race([starting.then(() => undefined), stopRequested])
  if (early !== undefined) console.log('Finishing the start, then stopping …')
  const platform = await starting
  if (early !== undefined) return stop(platform, 0)
  console.log(welcome(platform, config.mode, join(config.dataDir, 'ready.json')))
  const crash = await Promise.race([platform.crashed, stopRequested.then(() => undefined)])
  if (crash === undefined) return stop(platform, 0)
  console.error(`Postgres has ended by itself: ${crash}`)
  return stop(platform, 1)
}

async function stop(platform: Platform, exitCode: number): Promise<number> {
  console.log('Stopping …')
  setTimeout(() => {
    console.error('Stopping takes too long; giving up.')
    process.exit(1)
  }, STOP_TIMEOUT_MS).unref()
  await platform.stop()
  console.log('Stopped.')
  return exitCode
}

try {
  process.exit(await main())
} catch (error) {
  if (!(error instanceof PlatformError || error instanceof LocalPostgresError)) throw error
  console.error(`\n${error.message}`)
  process.exit(1)
}
