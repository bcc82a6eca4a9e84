import type { PlatformConfig } from './configuration.ts'
import type { StartedParts } from './started-parts.ts'

/** Records and sends traces if there is a collector for them. Without one, OpenTelemetry's SDK isn't loaded. */
export async function openTracing(
  { tracing: options }: Pick<PlatformConfig, 'tracing'>,
  started: StartedParts,
): Promise<void> {
  if (options === undefined) return
  const { startTracing } = await import('@commerce-graph/telemetry/tracing')
  const tracing = startTracing(options)
  started.add('traces', () => tracing.stop())
}
