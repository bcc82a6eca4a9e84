import type { CatalogType } from '../catalog/types.ts'
import { baseType } from './postgres-type.ts'

/** PostGIS types that Hasura treats specially. As in Hasura, they are recognised by name, in any schema. */
export type SpatialName = 'geometry' | 'geography' | 'raster'

export const spatialName = (name: string): SpatialName | undefined =>
  name === 'geometry' || name === 'geography' || name === 'raster' ? name : undefined

/** A spatial type and the extension's schema, which also has its functions. Domains count as their base type. */
export interface SpatialType {
  readonly schema: string
  readonly name: SpatialName
}

export function spatialType(type: CatalogType): SpatialType | undefined {
  const { schema, name, category } = baseType(type)
  const spatial = category === 'base' ? spatialName(name) : undefined
  return spatial === undefined ? undefined : { schema, name: spatial }
}
