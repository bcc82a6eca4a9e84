import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const padTo = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - stringWidth(text)))

/** The text, or as much of its beginning as fits before an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment)
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}
