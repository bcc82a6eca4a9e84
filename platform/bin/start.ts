import { LocalPostgresError } from '@commerce-graph/local-postgres'
import { join } from 'node:path'
import { readConfiguration } from '../src/configuration.ts'
import { type Ending, firstEnding } from '../src/endings.ts'
import { type Platform, startPlatform } from '../src/platform.ts'
import { PlatformError } from '../src/platform-error.ts'
import { welcome } from '../src/welcome.ts'

/** Longer than the longest request, and everything that stops after it. */
const stopTimeoutMs = 75_000

async function main(ending: Promise<Ending>): Promise<number> {
  const config = readConfiguration(process.env)
  const starting = startPlatform(config, (message) => console.log(message))
  const early = await Promise.race([starting.then(() => undefined), ending])
  if (early !== undefined) {
    console.log('Finishing the start, then stopping …')
    limitStop()
  }
  const platform = await starting
  if (early !== undefined) return stop(platform, early)
  console.log(
    welcome(platform, {
      mode: config.mode,
      readyFilePath: join(config.dataDir, 'ready.json'),
      showsSecrets: process.stdout.isTTY,
    }),
  )
  const end = await Promise.race([platform.crashed, ending])
  if (typeof end !== 'string') return stop(platform, end)
  console.error(`Postgres has ended by itself: ${end}`)
  return stop(platform, { kind: 'uncaught' })
}

/** Returns the exit code. */
async function stop(platform: Platform, ending: Ending): Promise<number> {
  console.log('Stopping …')
  limitStop()
  await platform.stop({ drain: ending.kind === 'asked' && ending.signal === 'SIGTERM' })
  console.log('Stopped.')
  switch (ending.kind) {
    case 'asked':
      return 0
    case 'uncaught':
      return 1
    default:
      return ending satisfies never
  }
}

/** Ends the process even if a part of it hangs. */
function limitStop(): void {
  setTimeout(() => {
    console.error('Stopping takes too long; giving up.')
    process.exit(1)
  }, stopTimeoutMs).unref()
}

try {
  process.exit(await main(firstEnding()))
} catch (error) {
  if (!(error instanceof PlatformError || error instanceof LocalPostgresError)) throw error
  console.error(`\n${error.message}`)
  process.exit(1)
}
