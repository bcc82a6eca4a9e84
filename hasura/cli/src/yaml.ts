import { stringify } from 'yaml'

/** As hasura-cli's encoder writes YAML: two spaces, no folded lines, texts of several lines as blocks. */
export const yaml = (value: unknown): string =>
  stringify(value, { indent: 2, lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false })
