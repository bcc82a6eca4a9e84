import { type FilterTypes, createFilterTypes } from './filter-types.ts'
import { type MutationTypes, createMutationTypes } from './mutation-types.ts'
import { type RowTypesOptions, type RowTypes, createRowTypes } from './row-types.ts'
import { type ScalarTypes, createScalarTypes } from './scalar-types.ts'
import type { SchemaContext } from './schema-context.ts'
import { type StreamArguments, createStreamArguments } from './stream-types.ts'

/** Builds the types of a role's schema, each once, at its first use. */
export interface TypeBuilders {
  readonly scalars: ScalarTypes
  readonly filters: FilterTypes
  readonly rows: RowTypes
  readonly mutations: MutationTypes
  readonly streamArguments: StreamArguments
}

export function createTypeBuilders(context: SchemaContext, options: RowTypesOptions): TypeBuilders {
  const scalars = createScalarTypes(context)
  const filters = createFilterTypes(context, scalars)
  const rows = createRowTypes(context, scalars, filters, options)
  return {
    scalars,
    filters,
    rows,
    mutations: createMutationTypes(context, scalars, filters, rows),
    streamArguments: createStreamArguments(context, scalars, filters),
  }
}
