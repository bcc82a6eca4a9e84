/** The content, until the signal: then it rejects with the signal's reason, also while the source gives nothing. */
export async function* interruptible(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (signal === undefined) {
    yield* content
    return
  }
  const source = content[Symbol.asyncIterator]()
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const interrupt = (): void => reject(signal.reason)
  // Rejecting when no chunk is awaited is not an error.
  interrupted.catch(() => undefined)
  signal.addEventListener('abort', interrupt, { once: true })
  let ended = false
  try {
    signal.throwIfAborted()
    for (;;) {
      const next = await Promise.race([source.next(), interrupted])
      if (next.done === true) {
        ended = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', interrupt)
    // Not awaited: a source that hangs would not end before it goes on.
    if (!ended) source.return?.().catch(() => undefined)
  }
}
