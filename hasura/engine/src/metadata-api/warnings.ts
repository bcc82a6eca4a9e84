import type { MetadataObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'

/** What a command has left undone, or done although it may not work. */
export interface MetadataWarning {
  readonly code:
    | 'illegal-event-trigger-name'
    | 'track-table-failed'
    | 'untrack-table-failed'
    /** Not in Hasura, which says nothing of such keys. */
    | 'unknown-metadata-key'
  readonly object: Pick<MetadataObject, 'type' | 'name'>
  readonly message: string
}

/** Hasura lists what it noticed last first. */
const warningsJson = (warnings: readonly MetadataWarning[]): Json =>
  warnings.toReversed().map(({ code, object: { type, name }, message }) => ({ message, type, name, code }))

/** `{"warnings": […]}`, to be added to an answer; nothing where there are none. */
export const withWarnings = (warnings: readonly MetadataWarning[]): { readonly warnings?: Json } =>
  warnings.length === 0 ? {} : { warnings: warningsJson(warnings) }

/** For who says `"allow_warnings": false`, which undoes the command. Throws HasuraError. */
export function refuseWarnings(warnings: readonly MetadataWarning[], allowed: boolean): void {
  if (!allowed && warnings.length > 0)
    throw new HasuraError('metadata-warnings', 'failed due to metadata warnings', {
      internal: warningsJson(warnings),
    })
}

/** For a command of which nothing has come. Throws HasuraError. */
export function refuseAll(message: string, warnings: readonly MetadataWarning[]): never {
  throw new HasuraError('invalid-configuration', message, { internal: warningsJson(warnings) })
}
