import type { Metadata } from './types.ts'

/**
 * Parts of the metadata that the engine keeps and exports but does not act on yet. Whoever starts it is told,
 * so that nobody waits for what never comes.
 */
export const unservedFeatures = ({ sources, network, opentelemetry }: Metadata): readonly string[] => [
  ...(['native_queries', 'logical_models', 'stored_procedures'] as const).filter((feature) =>
    sources.some((source) => (source[feature] ?? []).length > 0),
  ),
  ...((network?.tls_allowlist?.length ?? 0) > 0 ? ['network.tls_allowlist'] : []),
  ...(opentelemetry?.['status'] === 'enabled' ? ['opentelemetry'] : []),
]
