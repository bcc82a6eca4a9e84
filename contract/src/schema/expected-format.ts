import { getNullableType, type GraphQLInputType, isEnumType, isInputObjectType, isListType } from 'graphql'

/** The form of each scalar, for SVC_VAL_002's `Expected: [format]`. */
const scalarFormats: Readonly<Record<string, string>> = {
  ID: 'id',
  String: 'text',
  Int: 'whole number between -2147483648 and 2147483647',
  Float: 'number',
  Boolean: 'true or false',
  DateTime: 'ISO 8601 timestamp with time zone, e.g. 2026-01-31T09:30:00Z',
  Date: 'ISO 8601 date YYYY-MM-DD',
  Money: 'whole number of minor units (cents)',
  JSON: 'JSON object',
  JSONValue: 'JSON value',
  URL: 'http or https URL',
  EmailAddress: 'e-mail address',
}

/** The form of the type's values, for the message about a value of another form. */
export function expectedFormat(type: GraphQLInputType): string {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return `list of ${expectedFormat(nullable.ofType)}`
  if (isEnumType(nullable))
    return `one of ${nullable
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`
  if (isInputObjectType(nullable)) return `object of type ${nullable.name}`
  return scalarFormats[nullable.name] ?? nullable.name
}
