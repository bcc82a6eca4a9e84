/** What keeps the platform from starting, in words that tell an operator what to do. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
}
