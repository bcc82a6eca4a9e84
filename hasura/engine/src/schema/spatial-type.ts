import type { CatalogType } from '../catalog/types.ts'
import { baseType } from './postgres-type.ts'

/** The types of PostGIS that Hasura treats unlike others. As there, a type is told by its name, in whatever schema it is. */
export type SpatialName = 'geometry' | 'geography' | 'raster'

export const spatialName = (name: string): SpatialName | undefined =>
  name === 'geometry' || name === 'geography' || name === 'raster' ? name : undefined

/** A spatial type with the schema of the extension, in which its functions are, too. Domains count as their base. */
export interface SpatialType {
  readonly schema: string
  readonly name: SpatialName
}

export function spatialType(type: CatalogType): SpatialType | undefined {
  const { schema, name, category } = baseType(type)
  const spatial = category === 'base' ? spatialName(name) : undefined
  return spatial === undefined ? undefined : { schema, name: spatial }
}
