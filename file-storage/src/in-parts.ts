/** Yields the content in parts of `size` bytes; the last one may be shorter. It holds one part in memory. */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let part = new Uint8Array(size)
  let filled = 0
  for await (let chunk of content) {
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, size - filled)
      part.set(taken, filled)
      filled += taken.length
      chunk = chunk.subarray(taken.length)
      if (filled === size) {
        yield part
        part = new Uint8Array(size)
        filled = 0
      }
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}
