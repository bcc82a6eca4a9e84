import { stringify } from 'yaml'

/** YAML in the style of hasura-cli's encoder: two spaces, no folded lines, texts of several lines as blocks. */
export const yaml = (value: unknown): string =>
  stringify(value, { indent: 2, lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false })
