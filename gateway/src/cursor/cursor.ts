/** A place in a sorted list: the value of the sort column, and the id that tells equal values apart. */
export interface Cursor {
  /** The list and its sort field, e.g. `Product.PRICE`. A cursor is valid in this order only. */
  readonly sort: string
  readonly value: unknown
  readonly id: string
}

/** Changes whenever what is inside changes, so that old cursors are refused and not misread. */
const version = 1

/** No cursor of ours is longer: the longest sort columns are names, which have 200 characters. */
const maxLength = 4096

/** The cursor as clients see it: opaque text, fit for a URL. */
export const encodeCursor = ({ sort, value, id }: Cursor): string =>
  Buffer.from(JSON.stringify([version, sort, value, id])).toString('base64url')

/** Undefined for anything that `encodeCursor` did not make. */
export function decodeCursor(text: string): Cursor | undefined {
  if (text.length > maxLength) return undefined
  const parts = parseJson(Buffer.from(text, 'base64url').toString('utf8'))
  if (!Array.isArray(parts) || parts.length !== 4) return undefined
  const [made, sort, value, id] = parts as unknown[]
  if (made !== version || typeof sort !== 'string' || typeof id !== 'string') return undefined
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return { sort, value, id }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
