/** Spreadsheets run a cell as a formula whose text begins with one of these characters. Apostrophes may be in front of them. */
const formula = /^'*[=+\-@\t\r]/

/**
 * A text as a cell of CSV that no spreadsheet runs: with an apostrophe in front if it looks like a formula. It gets one more if it
 * begins with apostrophes and looks like one after them, so that `textOfCell` gives every text back.
 */
export const cellOfText = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text of a cell that `cellOfText` has made. */
export const textOfCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
