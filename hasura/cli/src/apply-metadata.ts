import { readMetadataDirectory, written } from 'hasura-embedded/metadata-directory'
import { z } from 'zod'
import type { HasuraApi } from 'hasura-embedded/migrations'

/** A part of the metadata that the engine can't use, and why. */
export interface Inconsistency {
  readonly name: string
  readonly type: string
  readonly reason: string
}

const consistency = z.object({
  is_consistent: z.boolean(),
  inconsistent_objects: z
    .array(z.object({ name: z.string().default(''), type: z.string(), reason: z.string() }))
    .default([]),
})

/**
 * Replaces the engine's metadata with a directory's. Returns the parts that the engine can't use, as hasura-cli does;
 * the other parts take effect. Calls `onUnknownKey` for each key that is left out. Throws when the directory can't be
 * read or the engine refuses it.
 */
export async function applyMetadata(
  api: HasuraApi,
  directory: string,
  onUnknownKey: (place: string) => void = () => undefined,
): Promise<readonly Inconsistency[]> {
  const metadata = await readMetadataDirectory(directory, { onUnknownKey })
  const args = { allow_inconsistent_metadata: true, metadata: written(metadata) }
  return inconsistenciesOf(await api.metadata({ type: 'replace_metadata', version: 2, args }))
}

/** The parts of its present metadata that the engine can't use. */
export const readInconsistencies = async (api: HasuraApi): Promise<readonly Inconsistency[]> =>
  inconsistenciesOf(await api.metadata({ type: 'get_inconsistent_metadata', args: {} }))

function inconsistenciesOf(answer: unknown): readonly Inconsistency[] {
  const { is_consistent: consistent, inconsistent_objects: objects } = consistency.parse(answer)
  return consistent ? [] : objects
}
