import type { FormatName } from '../validation/formats.ts'

export interface Range {
  /** Null: the type's own end. */
  readonly min: number | null
  readonly max: number | null
}

/** The bounds that the directives of an input field or argument add to its type. */
export interface Bounds {
  /** In code points. With a `min` above 0 the text has to say something: blanks alone are none. */
  readonly length?: { readonly min: number; readonly max: number; readonly multiline: boolean }
  readonly range?: Range
  /** The bounds on a list's number of entries; the other bounds apply to each entry. */
  readonly list?: { readonly min: number; readonly max: number }
  readonly format?: FormatName
  /** May be left out, but is never null: an update leaves out what shall stay. */
  readonly notNull?: true
}
