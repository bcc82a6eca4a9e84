import type { Catalog } from './catalog/types.ts'
import type { Json } from './metadata/parse.ts'
import type { Metadata } from './metadata/types.ts'
import type { Introspections } from './remote/remote-directory.ts'

/**
 * The state that a request is answered from. A request takes the current snapshot once and keeps it to its end, so it
 * never sees a mixture when metadata changes meanwhile. A new snapshot replaces it by one assignment.
 */
export interface Snapshot {
  /** The consistent part of the metadata, from which schemas are built. */
  readonly metadata: Metadata
  /** The metadata as stored and exported, inconsistent entries included. */
  readonly storedMetadata: Metadata
  readonly catalog: Catalog
  /** The introspections of remote schemas. */
  readonly introspections: Introspections
  /** hdb_metadata.resource_version. */
  readonly resourceVersion: number
  readonly inconsistencies: readonly Inconsistency[]
}

/** An inconsistency, in the form of `get_inconsistent_metadata`. */
export interface Inconsistency {
  /** `table`, `object_relation`, `array_relation`, `select_permission`, `computed_field`, `function`, `action`, … */
  readonly type: string
  /** `table article in source default`. */
  readonly name: string
  readonly reason: string
  readonly definition: Json
  readonly message?: Json | undefined
  /**
   * The permission that an inherited role lacks because of a conflict. Such an inconsistency doesn't cause the refusal
   * of a change.
   */
  readonly entity?: Json | undefined
  /** The entries that contradict each other, reported in place of a single one. */
  readonly conflicts?: Json | undefined
}
