import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql'
import type { FieldMeaning } from './field-meaning.ts'
import type { FunctionArgumentModel } from './source-model.ts'

export type FieldConfig = GraphQLFieldConfig<unknown, unknown>
export type FieldConfigMap = GraphQLFieldConfigMap<unknown, unknown>

/** The `args` argument of a function; absent for a function without arguments. */
export type FunctionArguments = (
  typeName: string,
  given: readonly FunctionArgumentModel[],
) => GraphQLFieldConfigArgumentMap

/** A field of a role's schema, with its meaning. */
export const field = (
  meaning: FieldMeaning,
  type: GraphQLOutputType,
  config: Pick<FieldConfig, 'args' | 'description'> = {},
): FieldConfig => ({ type, extensions: { meaning }, ...config })

export const listOf = (type: GraphQLObjectType): GraphQLOutputType =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))
