/** Waits, or until the signal aborts. Returns whether the whole time has passed. */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return false
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve(true)
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
