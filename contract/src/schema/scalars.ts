import { hasDeceptiveLetter, isCalendarDate, isDateTime, isEmailAddress, isHttpUrl } from '../input/index.ts'
import { type GraphQLScalarType, type GraphQLSchema, isScalarType, valueFromASTUntyped } from 'graphql'

type Parse = (value: unknown) => unknown

/**
 * Gives the contract's scalars their meaning for input. Output comes from Postgres, whose types already guarantee it,
 * and is passed on as it is. They throw plain errors: graphql-js then adds where in the document the value stands.
 */
export function installScalars(schema: GraphQLSchema): void {
  for (const [name, parse] of Object.entries(scalars)) {
    const type = schema.getType(name)
    if (isScalarType(type)) install(type, parse)
  }
}

function install(type: GraphQLScalarType, parse: Parse): void {
  type.parseValue = parse
  type.parseLiteral = (node, variables) => parse(valueFromASTUntyped(node, variables))
}

/** Postgres's bigint reaches further, but JSON clients hold integers exactly only below 2^53. */
const maxMoney = Number.MAX_SAFE_INTEGER

const scalars: Readonly<Record<string, Parse>> = {
  DateTime(value) {
    if (typeof value !== 'string' || !isDateTime(value))
      throw new TypeError('Not an ISO 8601 timestamp with time zone, e.g. 2026-01-31T09:30:00Z')
    return value
  },
  Date(value) {
    if (typeof value !== 'string' || !isCalendarDate(value))
      throw new TypeError('Not an ISO 8601 date YYYY-MM-DD')
    return value
  },
  Money(value) {
    if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > maxMoney)
      throw new TypeError('Not a whole number of minor units (cents) below 2^53')
    return value
  },
  JSON: object,
  JSONValue(value) {
    if (value == null) throw new TypeError('Not a JSON value')
    return value
  },
  _Any: object,
  URL(value) {
    if (typeof value !== 'string' || !isHttpUrl(value))
      throw new TypeError('Not an http or https URL without a user name or password')
    return value
  },
  EmailAddress(value) {
    if (typeof value !== 'string' || !isEmailAddress(value)) throw new TypeError('Not an e-mail address')
    if (hasDeceptiveLetter(value))
      throw new TypeError('Not an e-mail address, as it has letters that look like others or like nothing')
    return value
  },
}

function object(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('Not a JSON object')
  return value
}
