import type { JsonValue } from '../plan/input-value.ts'
import type { SpatialName } from '../schema/spatial-type.ts'
import { type GeojsonText, geojsonText } from './geojson.ts'

/**
 * A client's value as the text that PostGIS reads: GeoJSON, or a raster's binary form in hexadecimal. As in Hasura, a
 * text for a geometry is passed to PostGIS unchanged.
 */
export function spatialText(value: JsonValue, name: SpatialName): GeojsonText {
  switch (name) {
    case 'geometry':
    case 'geography':
      return typeof value === 'string' ? { ok: true, text: value } : geojsonText(value)
    case 'raster':
      return rasterText(value)
    default:
      return name satisfies never
  }
}

function rasterText(value: JsonValue): GeojsonText {
  if (typeof value !== 'string') return { ok: false, reason: 'expecting String for raster' }
  return /^([\da-f]{2})*$/i.test(value)
    ? { ok: true, text: value }
    : { ok: false, reason: 'invalid hexadecimal representation of raster well known binary format' }
}
