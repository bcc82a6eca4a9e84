import { type GraphQLFieldConfigArgumentMap, GraphQLString } from 'graphql'
import { baseType } from './postgres-type.ts'
import { type FieldConfig, type FunctionArguments, field } from './row-field.ts'
import type { ScalarTypes } from './scalar-types.ts'
import type { ComputedFieldModel, TableModel } from './source-model.ts'

export const pathArgument: GraphQLFieldConfigArgumentMap = {
  path: { type: GraphQLString, description: 'JSON select path' },
}

/** The client's arguments of a computed field. */
export const computedFieldArguments = (
  table: TableModel,
  computed: ComputedFieldModel,
  functionArguments: FunctionArguments,
): GraphQLFieldConfigArgumentMap =>
  functionArguments(table.typeNamed('args', computed.name), computed.arguments)

/** A computed field with a scalar value; undefined for one that returns rows of a table. */
export function computedScalarField(
  table: TableModel,
  computed: ComputedFieldModel,
  scalars: ScalarTypes,
  functionArguments: FunctionArguments,
): FieldConfig | undefined {
  const { returns, comment } = computed
  if (returns.kind !== 'scalar') return undefined
  const isJson = ['json', 'jsonb'].includes(baseType(returns.type).name)
  return field({ kind: 'computed-scalar', field: computed }, scalars.ofType(returns.type), {
    args: { ...computedFieldArguments(table, computed, functionArguments), ...(isJson ? pathArgument : {}) },
    description: comment ?? 'A computed field',
  })
}
