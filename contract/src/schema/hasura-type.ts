import { getNamedType, type GraphQLInputType, isEnumType } from 'graphql'

/** The scalars of Hasura, where they have another name than in the contract. */
const hasuraScalars: Readonly<Record<string, string>> = {
  ID: 'uuid',
  Money: 'bigint',
  DateTime: 'timestamptz',
  Date: 'date',
  EmailAddress: 'String',
  URL: 'String',
  JSON: 'jsonb',
}

/** A type as actions take it; values of enumerations are text there. */
export const hasuraType = (type: GraphQLInputType): string =>
  String(type).replace(/\w+/, (name) =>
    isEnumType(getNamedType(type)) ? 'String' : (hasuraScalars[name] ?? name),
  )
