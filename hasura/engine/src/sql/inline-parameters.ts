import { stringLiteral } from './printer.ts'

/**
 * In what a `$1` means nothing: comments, texts (E'' with backslashes, '', between dollars) and quoted names, all of which
 * the SQL of a native query may have; or a parameter.
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
 * A printed statement with its values written where its parameters were, as somebody can paste it into psql. Postgres
 * gives the literals the types of the casts around them, as it does with parameters.
 */
export const inlineParameters = (text: string, values: readonly (string | null)[]): string =>
  text.replaceAll(tokens, (token, _: string | undefined, number: string | undefined) => {
    if (number === undefined) return token
    const value = values[Number(number) - 1] ?? null
    return value === null ? 'NULL' : stringLiteral(value)
  })
