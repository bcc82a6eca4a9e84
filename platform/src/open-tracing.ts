import type { PlatformConfig } from './configuration.ts'

/** Records and sends traces if there is a collector for them. Without one, OpenTelemetry's SDK isn't loaded. */
export async function openTracing(
  { tracing: options }: Pick<PlatformConfig, 'tracing'>,
  started: AsyncDisposableStack,
): Promise<void> {
  if (options === undefined) return
  const { startTracing } = await import('@commerce-graph/telemetry/tracing')
  const tracing = startTracing(options)
  started.defer(() => tracing.stop())
}
