/** An error that the user can fix; the message says how. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}
