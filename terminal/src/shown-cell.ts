/** UTC, to the second. */
export const time = (date: Date): string => date.toISOString().replace(/\.\d+/, '')

export type Cell = string | number | boolean | Date | null

/** A value in a line of its own: names come from strangers, and control characters would move the cursor of a terminal. */
export const shownCell = (value: Cell): string =>
  (value instanceof Date ? time(value) : String(value ?? '')).replaceAll(/\p{Cc}+/gu, ' ')
