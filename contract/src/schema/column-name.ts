/**
 * The name in SQL, and so in Hasura's API, of what the contract calls `name`: `compareAtPrice` is the column
 * `compare_at_price`. A column or relationship that is called otherwise is named in its domain's projection.
 */
export const columnName = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
