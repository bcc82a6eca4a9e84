import { freePorts } from '@commerce-graph/local-postgres'
import { setTimeout as sleep } from 'node:timers/promises'
import { GenericContainer } from 'testcontainers'

/** The version of Hasura in docker-compose.yml. */
const image = 'hasura/graphql-engine:v2.48.0'

const startTimeoutMs = 60_000

export interface OfficialHasura {
  readonly url: string
  readonly stop: () => Promise<void>
}

export interface OfficialHasuraOptions {
  readonly adminSecret: string
  readonly env: Readonly<Record<string, string>>
  /** Replaces the metadata in the database. */
  readonly metadata: unknown
}

/**
 * Starts the official image on a database of this test run, in the machine's own network, where the test's Postgres
 * listens. Needs a Docker engine on Linux. Throws if the metadata is inconsistent.
 */
export async function startOfficialHasura({
  adminSecret,
  env,
  metadata,
}: OfficialHasuraOptions): Promise<OfficialHasura> {
  const port = await freePorts(1)
  const container = await new GenericContainer(image)
    .withNetworkMode('host')
    .withEnvironment({
      ...env,
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
      HASURA_GRAPHQL_ENABLE_TELEMETRY: 'false',
    })
    .start()
  const url = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    await container.stop()
  }
  try {
    await untilHealthy(url)
    await replaceMetadata(url, adminSecret, metadata)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilHealthy(url: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    )
    if (response?.ok === true) return
    if (Date.now() > deadline) throw new Error(`${image} does not answer at ${url}`)
    await sleep(200)
  }
}

async function replaceMetadata(url: string, adminSecret: string, metadata: unknown): Promise<void> {
  const response = await fetch(`${url}/v1/metadata`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': adminSecret },
    body: JSON.stringify({ type: 'replace_metadata', args: metadata }),
    signal: AbortSignal.timeout(startTimeoutMs),
  })
  if (!response.ok) throw new Error(`the metadata was refused: ${await response.text()}`)
}
