import { endLeftServer } from '@commerce-graph/local-postgres'
import { join } from 'node:path'
import type { PlatformConfig } from './configuration.ts'
import { openDataFolder, postgresFolder } from './data-folder.ts'
import { markAsSuperuser, openDatabase } from './database.ts'
import { platformLogger } from './platform-logger.ts'
import { checkPorts, choosePorts, neededListeners } from './ports.ts'
import { readyFile } from './ready-file.ts'
import type { Progress, RunningServices, Stopping } from './services.ts'
import { StartedParts, stopWithin } from './started-parts.ts'

export interface Platform extends RunningServices {
  readonly databaseUrl: string
  /** Settles with the reason when an essential part ends unexpectedly. */
  readonly crashed: Promise<string>
  /**
   * Answers running requests, then stops everything in the reverse order of the start.
   *
   * @param options.drain accepts requests for some more seconds, until all clients and load balancers use another
   * platform
   */
  readonly stop: (options?: { readonly drain?: boolean }) => Promise<void>
}

/**
 * Starts everything in this process, in order. Resolves when all of it answers and `ready.json` is written. After a
 * failure it stops what it has started. Throws PlatformError or LocalPostgresError for causes that the caller can
 * fix.
 */
export async function startPlatform(
  config: PlatformConfig,
  progress: Progress = () => undefined,
): Promise<Platform> {
  const started = new StartedParts(platformLogger(config.logLevel))
  const stopping: Stopping = { drain: false, beginDrains: [] }
  try {
    const folder = openDataFolder(config.dataDir)
    started.add('the data folder', () => folder.release())
    folder.remove('ready.json')
    // After a kill, the old Postgres may still hold its port for a moment.
    if (config.databaseUrl === undefined) await endLeftServer(join(folder.path, postgresFolder))
    const ports = await choosePorts(config.ports)
    await checkPorts(
      ports,
      neededListeners({
        postgres: config.databaseUrl === undefined,
        engine: config.hasuraUrl === undefined,
        paymentSandbox: config.mode === 'test',
      }),
    )
    // Loading the services takes as long as starting Postgres, so both run at the same time.
    const loading = import('./start-services.ts')
    progress(config.databaseUrl === undefined ? 'Starting Postgres' : 'Connecting to Postgres')
    const database = await openDatabase({
      databaseUrl: config.databaseUrl,
      partUrls: config.partUrls,
      pooler: config.pooler,
      dataDir: folder.path,
      port: ports.postgres,
      archive: config.backup,
    })
    started.add('Postgres', database.stop, stopWithin.postgres)
    const { startServices } = await loading
    const services = await startServices({
      config,
      folder,
      ports,
      databaseUrl: database.url,
      partUrls: database.partUrls,
      feedUrl: database.feedUrl,
      started,
      stopping,
      progress,
    })
    if (database.superuserUrl !== undefined) await markAsSuperuser(database.superuserUrl)
    // Whoever reads the address uses a session of its own.
    const databaseUrl = config.pooler?.directUrl ?? database.url
    const platform = { ...services, databaseUrl, crashed: database.crashed }
    folder.write('ready.json', readyFile({ ...platform, superuserUrl: database.superuserUrl }))
    started.add('ready.json', () => folder.remove('ready.json'))
    return {
      ...platform,
      stop({ drain = false } = {}) {
        stopping.drain = drain
        for (const beginDrain of stopping.beginDrains) beginDrain()
        return started.stop()
      },
    }
  } catch (error) {
    await started.stop().catch(() => undefined)
    throw error
  }
}
