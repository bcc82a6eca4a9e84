import type { Metadata } from './types.ts'

/**
 * Names the parts of the metadata that the engine keeps and exports but that have no effect yet. The start logs them,
 * so that an operator doesn't rely on them.
 */
export const unservedFeatures = ({ sources, network, opentelemetry }: Metadata): readonly string[] => [
  ...(sources.some(({ stored_procedures: procedures = [] }) => procedures.length > 0)
    ? ['stored_procedures']
    : []),
  ...((network?.tls_allowlist?.length ?? 0) > 0 ? ['network.tls_allowlist'] : []),
  ...(opentelemetry?.['status'] === 'enabled' ? ['opentelemetry'] : []),
]
