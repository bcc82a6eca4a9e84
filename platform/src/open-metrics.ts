import type { Metrics } from '@commerce-graph/telemetry'
import type { PlatformConfig } from './configuration.ts'
import { PlatformError } from './platform-error.ts'
import type { StartedParts } from './started-parts.ts'

/**
 * Serves metrics if there is a port for them. Without one, nothing is measured, and the library isn't loaded.
 *
 * @throws PlatformError if the port is taken
 */
export async function openMetrics(
  { metrics: address }: Pick<PlatformConfig, 'metrics'>,
  started: StartedParts,
): Promise<Metrics | undefined> {
  if (address === undefined) return undefined
  const { createMetrics } = await import('@commerce-graph/telemetry/metrics')
  const { serveMetrics } = await import('@commerce-graph/telemetry/metrics-server')
  const metrics = createMetrics()
  try {
    const server = await serveMetrics(metrics, address)
    started.add('metrics', () => server.stop())
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PlatformError(`METRICS_PORT can't be used: ${reason}`)
  }
  return metrics
}
