import type { FileStorage } from '@commerce-graph/file-storage'
import { fileTypeFromBuffer } from 'file-type'
import { buffer } from 'node:stream/consumers'

/** Bytes at the beginning of a file, by which its type is recognized. */
const sample = 4_100

/** Types of texts, which have no signature, so the client's word is taken. They are never served under them. */
const textTypes: readonly string[] = ['application/json', 'application/x-ndjson', 'text/csv', 'text/plain']

/** The media type of a stored file: by its content, or as declared if it is a text. Null: there is no such file. */
export async function contentType(
  storage: FileStorage,
  key: string,
  { size, declared }: { readonly size: number; readonly declared: string },
): Promise<string | null> {
  const file = await storage.get(key, { range: { start: 0, end: Math.min(sample, size) - 1 } })
  if (file === null) return null
  const found = await fileTypeFromBuffer(await buffer(file.content))
  return found?.mime ?? (textTypes.includes(declared) ? declared : 'application/octet-stream')
}
