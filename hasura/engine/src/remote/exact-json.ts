/** Node's functions for raw JSON texts, which TypeScript's library doesn't declare yet. */
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
 * JSON.parse for numbers that JavaScript would write differently (beyond 2^53, `1.50`): such a number becomes an object
 * that JSON.stringify writes unchanged.
 */
export const parseExactly = (text: string): unknown =>
  exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? exact.rawJSON(source)
      : value,
  )

/** Whether the value is a number kept as text. */
export const isRawNumber = (value: unknown): boolean => exact.isRawJSON(value)
