import { hasDeceptiveLetter, isEmailAddress, isHttpUrl } from '../input/index.ts'
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

const dateTimePattern =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

const scalars: Readonly<Record<string, Parse>> = {
  DateTime(value) {
    if (typeof value !== 'string' || !dateTimePattern.test(value) || !isCalendarDate(value.slice(0, 10)))
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

/** Whether a `YYYY-MM-DD` names a day that exists: Postgres refuses 30 February, Date.parse turns it into 2 March. */
function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
