/** Features of Hasura's HASURA_GRAPHQL_EXPERIMENTAL_FEATURES that hide parts of every role's schema. */
const schemaFeatures = [
  'hide_update_many_fields',
  'hide_aggregation_predicates',
  'hide_stream_fields',
] as const

export type SchemaFeature = (typeof schemaFeatures)[number]

export const isSchemaFeature = (name: string): name is SchemaFeature =>
  schemaFeatures.some((feature) => feature === name)
