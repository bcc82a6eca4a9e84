import type { MetadataObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'

/** A step that a command has left out, or has done although it may not work. */
export interface MetadataWarning {
  readonly code:
    | 'illegal-event-trigger-name'
    | 'track-table-failed'
    | 'untrack-table-failed'
    /** Not in Hasura, which ignores such keys silently. */
    | 'unknown-metadata-key'
  readonly object: Pick<MetadataObject, 'type' | 'name'>
  readonly message: string
}

/** Hasura lists the latest warning first. */
const warningsJson = (warnings: readonly MetadataWarning[]): Json =>
  warnings.toReversed().map(({ code, object: { type, name }, message }) => ({ message, type, name, code }))

/** `{"warnings": […]}`, to be merged into an answer; empty without warnings. */
export const withWarnings = (warnings: readonly MetadataWarning[]): { readonly warnings?: Json } =>
  warnings.length === 0 ? {} : { warnings: warningsJson(warnings) }

/** With `"allow_warnings": false`, throws HasuraError when there are warnings, which undoes the command. */
export function refuseWarnings(warnings: readonly MetadataWarning[], allowed: boolean): void {
  if (!allowed && warnings.length > 0)
    throw new HasuraError('metadata-warnings', 'failed due to metadata warnings', {
      internal: warningsJson(warnings),
    })
}

/** Throws HasuraError for a command that failed for all its objects. */
export function refuseAll(message: string, warnings: readonly MetadataWarning[]): never {
  throw new HasuraError('invalid-configuration', message, { internal: warningsJson(warnings) })
}
