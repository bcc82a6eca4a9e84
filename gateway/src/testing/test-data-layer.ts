import { fileURLToPath } from 'node:url'
import { createEmbeddedDataLayer, createHttpDataLayer, type DataLayer } from '@commerce-graph/data-layer'
import { startEngine } from 'hasura-embedded'
import { readMetadataDirectory } from 'hasura-embedded/metadata-directory'
import { pino } from 'pino'

export interface TestDataLayer {
  readonly dataLayer: DataLayer
  readonly close: () => Promise<void>
}

const metadataDirectory = fileURLToPath(new URL('../../../metadata', import.meta.url))
const adminSecret = 'a secret of the test'

/**
 * The data layer that DATA_LAYER names, on a database with the project's tables: by default the engine in this
 * process, the engine over HTTP (`http`), or the official image (`hasura`), which needs Docker.
 */
export async function openTestDataLayer(databaseUrl: string): Promise<TestDataLayer> {
  const env = {
    ACTIONS_BASE_URL: 'http://127.0.0.1:9',
    ACTIONS_SECRET: 'secret',
    HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
  }
  const chosen = process.env['DATA_LAYER'] ?? 'embedded'
  switch (chosen) {
    case 'embedded':
    case 'http':
      return openEngine(databaseUrl, env, chosen === 'http')
    case 'hasura':
      return openOfficialHasura(env)
    default:
      throw new Error(`DATA_LAYER is embedded, http or hasura, not ${chosen}`)
  }
}

async function openEngine(
  databaseUrl: string,
  env: Readonly<Record<string, string>>,
  overHttp: boolean,
): Promise<TestDataLayer> {
  const engine = await startEngine({
    databaseUrl,
    env,
    poolSize: 2,
    metadata: metadataDirectory,
    ...(overHttp ? { port: 0, adminSecret } : {}),
    logger: pino({ level: 'silent' }),
  })
  const { inconsistencies } = engine.snapshot
  if (inconsistencies.length > 0)
    throw new Error(`metadata is inconsistent: ${JSON.stringify(inconsistencies)}`)
  const http = overHttp ? createHttpDataLayer({ url: engine.url ?? '', adminSecret }) : undefined
  return {
    dataLayer: http ?? createEmbeddedDataLayer(engine),
    close: async () => {
      http?.close()
      await engine.stop()
    },
  }
}

async function openOfficialHasura(env: Readonly<Record<string, string>>): Promise<TestDataLayer> {
  // Imported here, because no other test needs it.
  const { startOfficialHasura } = await import('./official-hasura.ts')
  const metadata = await readMetadataDirectory(metadataDirectory)
  const hasura = await startOfficialHasura({ adminSecret, env, metadata })
  const dataLayer = createHttpDataLayer({ url: hasura.url, adminSecret })
  return {
    dataLayer,
    close: async () => {
      dataLayer.close()
      await hasura.stop()
    },
  }
}
