import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLNonNull,
} from 'graphql'
import { columnInput } from './input-rule.ts'
import type { NativeQueryModel } from './source-model.ts'
import { type FieldConfigMap, field, listOf } from './row-field.ts'
import type { RowTypes } from './row-types.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, isSelectable } from './schema-context.ts'

/** The fields of native queries with a logical model that the role may read. */
export const nativeQueryFields = (
  context: SchemaContext,
  rows: RowTypes,
  scalars: ScalarTypes,
): FieldConfigMap =>
  Object.fromEntries(
    context.source.nativeQueries
      .filter(({ table }) => isSelectable(context, table))
      .map((query) => {
        const args = { ...callArguments(query, scalars), ...rows.selectArguments(query.table) }
        const type = listOf(rows.row(query.table))
        const { description } = query
        return [
          query.rootField,
          field(
            { kind: 'native-query', query },
            type,
            description === undefined ? { args } : { args, description },
          ),
        ]
      }),
  )

function callArguments(
  { rootField, arguments: given }: NativeQueryModel,
  scalars: ScalarTypes,
): GraphQLFieldConfigArgumentMap {
  if (given.length === 0) return {}
  const description = `${rootField} Native Query Arguments`
  const fields = given.map(
    ({ name, type, nullable, description: own }): [string, GraphQLInputFieldConfig] => {
      const scalar = scalars.ofType(type)
      return [
        name,
        columnInput(nullable ? scalar : new GraphQLNonNull(scalar), {
          nullable,
          description: own ?? `Native query argument ${name}`,
        }),
      ]
    },
  )
  const type = new GraphQLInputObjectType({
    name: `${rootField}_arguments`,
    description,
    fields: Object.fromEntries(fields),
  })
  return { args: { type: new GraphQLNonNull(type), description } }
}
