import { stringLiteral } from './printer.ts'

/**
 * Tokens of SQL: those in which a `$1` is no parameter (comments, E'' texts with backslashes, '' texts, dollar-quoted
 * texts, quoted names), all of which a native query may have, and parameters.
 */
const tokens = new RegExp(
  [
    String.raw`--[^\n]*`,
    String.raw`/\*[^]*?\*/`,
    String.raw`(?<![\w$])[eE]'(?:[^'\\]|''|\\[^])*'`,
    String.raw`'(?:[^']|'')*'`,
    String.raw`"(?:[^"]|"")*"`,
    String.raw`(?<![\w$])\$((?:[a-zA-Z_]\w*)?)\$[^]*?\$\1\$`,
    String.raw`\$(\d+)`,
  ].join('|'),
  'g',
)

/**
 * A printed statement with its values in place of its parameters, so that it can be pasted into psql. Postgres gives
 * the literals the types of the casts around them, as it does with parameters.
 */
export const inlineParameters = (text: string, values: readonly (string | null)[]): string =>
  text.replaceAll(tokens, (token, _: string | undefined, number: string | undefined) => {
    if (number === undefined) return token
    const value = values[Number(number) - 1] ?? null
    return value === null ? 'NULL' : stringLiteral(value)
  })
