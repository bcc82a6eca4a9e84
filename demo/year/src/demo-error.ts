/** What the caller can do something about; the message says what. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}
