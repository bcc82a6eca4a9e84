const name = /^[_A-Za-z][_0-9A-Za-z]*$/

/** GraphQL has no such enum values, and a column is a value of the enum of its table's columns. */
const reserved: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** Postgres allows any name; what GraphQL can't say is left out of the schema, as Hasura does. */
export const isGraphqlName = (value: string): boolean => name.test(value) && !reserved.has(value)
