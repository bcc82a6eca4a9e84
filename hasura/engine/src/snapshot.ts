import type { Catalog } from './catalog/types.ts'
import type { Json } from './metadata/parse.ts'
import type { Metadata } from './metadata/types.ts'
import type { Introspections } from './remote/remote-directory.ts'

/**
 * All that a request is answered from: it takes the current snapshot once and works with it to the end, so a
 * change of metadata in between can't show it two worlds. A new one replaces it by one assignment.
 */
export interface Snapshot {
  /** What is consistent: entries with an inconsistency are left out. Schemas are built from this. */
  readonly metadata: Metadata
  /** As stored and exported, inconsistent entries included. */
  readonly storedMetadata: Metadata
  readonly catalog: Catalog
  /** What remote schemas say about themselves. */
  readonly introspections: Introspections
  /** hdb_metadata.resource_version. */
  readonly resourceVersion: number
  readonly inconsistencies: readonly Inconsistency[]
}

/** As `get_inconsistent_metadata` shows it. */
export interface Inconsistency {
  /** `table`, `object_relation`, `array_relation`, `select_permission`, `computed_field`, `function`, `action`, … */
  readonly type: string
  /** `table article in source default`. */
  readonly name: string
  readonly reason: string
  readonly definition: Json
  readonly message?: Json | undefined
  /** What an inherited role misses by it. Nothing else is wrong then, and no change is refused for it. */
  readonly entity?: Json | undefined
  /** Entries that contradict each other; they are told in place of a single one. */
  readonly conflicts?: Json | undefined
}
