const name = /^[_A-Za-z][_0-9A-Za-z]*$/

/** GraphQL forbids enum values of these names, and columns are values of enums of a table's columns. */
const reserved: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** Postgres allows any name. As in Hasura, names that GraphQL forbids are left out of the schema. */
export const isGraphqlName = (value: string): boolean => name.test(value) && !reserved.has(value)
