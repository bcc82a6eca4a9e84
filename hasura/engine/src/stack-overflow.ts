/** Whether an error is a stack overflow. The walks over a client's input recurse, so the stack limits its depth. */
export const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')
