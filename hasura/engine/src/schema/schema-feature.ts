/** What may be hidden from every role's schema: features of Hasura's HASURA_GRAPHQL_EXPERIMENTAL_FEATURES. */
const schemaFeatures = [
  'hide_update_many_fields',
  'hide_aggregation_predicates',
  'hide_stream_fields',
] as const

export type SchemaFeature = (typeof schemaFeatures)[number]

export const isSchemaFeature = (name: string): name is SchemaFeature =>
  schemaFeatures.some((feature) => feature === name)
