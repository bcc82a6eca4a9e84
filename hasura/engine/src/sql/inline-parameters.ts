import { stringLiteral } from './printer.ts'

/** Texts and quoted names, in which a `$1` means nothing, or a parameter. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g

/**
 * A printed statement with its values written where its parameters were, as somebody can paste it into psql. Postgres
 * gives the literals the types of the casts around them, as it does with parameters.
 */
export const inlineParameters = (text: string, values: readonly (string | null)[]): string =>
  text.replaceAll(tokens, (token, number: string | undefined) => {
    if (number === undefined) return token
    const value = values[Number(number) - 1] ?? null
    return value === null ? 'NULL' : stringLiteral(value)
  })
