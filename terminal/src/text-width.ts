const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Characters that take two columns of a terminal. */
const wide =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60]/u

const columnsOfOne = (grapheme: string): number => (wide.test(grapheme) ? 2 : 1)

/** How many columns of a terminal the text takes. It has no control characters. */
export const columnsOf = (text: string): number =>
  Array.from(graphemes.segment(text)).reduce((sum, { segment }) => sum + columnsOfOne(segment), 0)

export const padTo = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - columnsOf(text)))

/** The text, or as much of its beginning as fits before an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    width += columnsOfOne(segment)
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}
