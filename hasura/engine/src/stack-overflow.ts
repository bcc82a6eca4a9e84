/** Walks of what clients send recurse, so it is the stack that bounds how deep that may be nested. */
export const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')
