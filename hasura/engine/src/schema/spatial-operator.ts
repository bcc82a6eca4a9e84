import type { QualifiedName } from '../metadata/types.ts'
import type { TypeName } from '../sql/ast.ts'
import { builtinType } from '../sql/build.ts'
import type { SpatialType } from './spatial-type.ts'

/** An operator of a `…_comparison_exp` that is a PostGIS function. The column is the function's first argument. */
export interface SpatialOperator {
  readonly kind: 'function'
  readonly name: string
  readonly description: string | null
  readonly function: QualifiedName
  readonly input: SpatialInput
}

/** The operand: one value, or an object with the function's further arguments, in their order. */
export type SpatialInput =
  | { readonly kind: 'value'; readonly type: TypeName }
  | { readonly kind: 'object'; readonly graphqlName: string; readonly fields: readonly SpatialInputField[] }

interface SpatialInputField {
  readonly name: string
  readonly graphqlName: string
  readonly type: TypeName
  /** The meaning of an absent field. */
  readonly absent: 'refused' | 'null' | 'true'
}

const real = builtinType('float4')

const distance: SpatialInputField = {
  name: 'distance',
  graphqlName: 'Float',
  // Hasura's `Float` is a `real`. The rounding decides whether a point at exactly the distance is within it.
  type: real,
  absent: 'refused',
}

const field = (name: string, type: TypeName): SpatialInputField => ({
  name,
  graphqlName: type.name,
  type,
  absent: 'refused',
})

const nband = (absent: SpatialInputField['absent']): SpatialInputField => ({
  name: 'nband',
  graphqlName: 'Int',
  type: builtinType('int4'),
  absent,
})

const useSpheroid: SpatialInputField = {
  name: 'use_spheroid',
  graphqlName: 'Boolean',
  type: builtinType('bool'),
  absent: 'true',
}

const given = (graphqlName: string, ...fields: readonly SpatialInputField[]): SpatialInput => ({
  kind: 'object',
  graphqlName,
  fields,
})

/** The operators that compare two geometries: their names, functions and descriptions. */
const ofTwoGeometries: readonly (readonly [name: string, functionName: string, description: string])[] = [
  ['_st_contains', 'st_contains', 'does the column contain the given geometry value'],
  ['_st_crosses', 'st_crosses', 'does the column cross the given geometry value'],
  ['_st_equals', 'st_equals', 'is the column equal to given geometry value (directionality is ignored)'],
  [
    '_st_overlaps',
    'st_overlaps',
    "does the column 'spatially overlap' (intersect but not completely contain) the given geometry value",
  ],
  [
    '_st_touches',
    'st_touches',
    'does the column have atleast one point in common with the given geometry value',
  ],
  ['_st_within', 'st_within', 'is the column contained in the given geometry value'],
  ['_st_intersects', 'st_intersects', 'does the column spatially intersect the given geometry value'],
  [
    '_st_3d_intersects',
    'st_3dintersects',
    'does the column spatially intersect the given geometry value in 3D',
  ],
]

/** Hasura's spatial operators for a type. The names of their inputs don't depend on the naming convention. */
export function spatialOperators(type: SpatialType): readonly SpatialOperator[] {
  const operator = (
    name: string,
    functionName: string,
    description: string | null,
    input: SpatialInput = { kind: 'value', type },
  ): SpatialOperator => ({
    kind: 'function',
    name,
    description,
    function: { schema: type.schema, name: functionName },
    input,
  })
  const near = (dimensions: string) =>
    `is the column within a given ${dimensions}distance from the given ${type.name} value`
  switch (type.name) {
    case 'geometry': {
      const within = given('st_d_within_input', field('from', type), distance)
      return [
        ...ofTwoGeometries.map(([name, functionName, description]) =>
          operator(name, functionName, description),
        ),
        operator('_st_d_within', 'st_dwithin', near(''), within),
        operator('_st_3d_d_within', 'st_3ddwithin', near('3D '), within),
      ]
    }
    case 'geography': {
      const within = given('st_d_within_geography_input', field('from', type), distance, useSpheroid)
      const intersects = 'does the column spatially intersect the given geography value'
      return [
        operator('_st_intersects', 'st_intersects', intersects),
        operator('_st_d_within', 'st_dwithin', near(''), within),
      ]
    }
    case 'raster': {
      const geommin = field('geommin', { schema: type.schema, name: 'geometry' })
      const byBand = given('st_intersects_nband_geom_input', nband('refused'), geommin)
      const byGeometry = given('st_intersects_geom_nband_input', geommin, nband('null'))
      return [
        operator('_st_intersects_rast', 'st_intersects', null),
        operator('_st_intersects_nband_geom', 'st_intersects', null, byBand),
        operator('_st_intersects_geom_nband', 'st_intersects', null, byGeometry),
      ]
    }
    default:
      return type.name satisfies never
  }
}
