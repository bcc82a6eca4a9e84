import type { Fault } from './fault.ts'
import { isSingleLine } from './single-line.ts'

/** The texts that Postgres can store unchanged. */
export const unicodeText = 'Unicode text without null characters'

/** Postgres has no place for U+0000, and half of a surrogate pair would become another character on its way there. */
export const isUnicodeText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Lengths are in code points. With a `min` above 0 the text has to say something: blanks alone are none. */
export interface TextBounds {
  readonly lines: 'one' | 'any'
  readonly min: number
  readonly max: number
}

export function textFault(text: string, { lines, min, max }: TextBounds): Fault | null {
  if (min > 0 && text.trim() === '') return { kind: 'required' }
  if (!isUnicodeText(text)) return { kind: 'format', expected: unicodeText }
  if (lines === 'one' && !isSingleLine(text))
    return { kind: 'format', expected: 'one line of text, without control characters' }
  const length = Array.from(text).length
  if (length >= min && length <= max) return null
  return { kind: 'range', value: `of ${length} characters`, min, max }
}

/** The fault of a list with `length` entries. */
export const listFault = (length: number, min: number, max: number): Fault | null =>
  length < min || length > max ? { kind: 'range', value: `of ${length} entries`, min, max } : null
