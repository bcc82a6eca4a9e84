/**
 * The text of a file in pieces, without a byte order mark. Other encodings are refused with the error that `refusal` makes: they would
 * become text with U+FFFD in the place of letters, and be stored like that.
 */
export async function* utf8Texts(
  chunks: AsyncIterable<Uint8Array>,
  refusal: (message: string) => Error,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw refusal('The file is not UTF-8: save it as UTF-8, in a spreadsheet as "CSV UTF-8"')
    }
  }
  for await (const chunk of chunks) yield decoded(chunk)
  // A character that is cut off.
  yield decoded()
}
