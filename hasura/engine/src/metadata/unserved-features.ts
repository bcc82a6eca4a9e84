import type { Metadata } from './types.ts'

/**
 * Parts of the metadata that the engine keeps and exports but does not act on yet. Whoever starts it is told,
 * so that nobody waits for what never comes.
 */
export const unservedFeatures = ({ sources, network, opentelemetry }: Metadata): readonly string[] => [
  ...(sources.some(({ stored_procedures: procedures = [] }) => procedures.length > 0)
    ? ['stored_procedures']
    : []),
  ...((network?.tls_allowlist?.length ?? 0) > 0 ? ['network.tls_allowlist'] : []),
  ...(opentelemetry?.['status'] === 'enabled' ? ['opentelemetry'] : []),
]
