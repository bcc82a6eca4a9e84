/** What keeps the platform from starting, told so that the person who started it can act on it. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
}
