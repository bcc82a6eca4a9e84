import { HasuraError } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import { spatialText } from '../sql/spatial-text.ts'
import type { SpatialName } from './spatial-type.ts'

/** A value as the text that PostGIS reads. Throws HasuraError `parse-failed` when it isn't of the type. */
export function requireSpatialText(value: Json, name: SpatialName): string {
  const read = spatialText(value, name)
  if (!read.ok) throw new HasuraError('parse-failed', read.reason)
  return read.text
}
