/** What Node has and TypeScript's library does not declare yet: JSON's texts, kept as they came. */
interface ExactJson {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}

const exact = JSON as unknown as ExactJson

/**
 * JSON.parse, but a number that JavaScript would write in another way (beyond 2^53, `1.50`) becomes an object that
 * JSON.stringify writes as it was.
 */
export const parseExactly = (text: string): unknown =>
  exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? exact.rawJSON(source)
      : value,
  )

/** A number that was kept as its text. */
export const isRawNumber = (value: unknown): boolean => exact.isRawJSON(value)
