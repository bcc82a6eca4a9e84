/** An error that prevents the platform's start, with a message that tells the operator what to do. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
}
