import type { Frame } from './cpu-profile.ts'

const width = 1_200
const rowHeight = 18
const charWidth = 6.6
/** Narrower frames show nothing. */
const minWidth = 0.5

/** Draws a tree of frames as an SVG that needs no script: each frame as wide as its time, callees below their caller. */
export function flameGraph(root: Frame, title: string): string {
  const boxes: string[] = []
  let rows = 0
  const draw = (frame: Frame, x: number, row: number): void => {
    const wide = (frame.totalMs / root.totalMs) * width
    if (wide < minWidth) return
    rows = Math.max(rows, row + 1)
    boxes.push(box(frame, { x, row, wide, share: frame.totalMs / root.totalMs }))
    let at = x
    for (const callee of frame.callees) {
      draw(callee, at, row + 1)
      at += (callee.totalMs / root.totalMs) * width
    }
  }
  if (root.totalMs > 0) draw(root, 0, 0)
  const height = (rows + 2) * rowHeight
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="monospace" font-size="11">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="4" y="13" font-weight="bold">${escaped(title)}</text>`,
    ...boxes,
    '</svg>',
    '',
  ].join('\n')
}

interface Place {
  readonly x: number
  readonly row: number
  readonly wide: number
  readonly share: number
}

function box(frame: Frame, { x, row, wide, share }: Place): string {
  const label = frame.name.slice(0, Math.max(0, Math.floor(wide / charWidth) - 1))
  const where = frame.place === '' ? '' : ` ${frame.place}`
  const hint = `${frame.name}${where}: ${Math.round(frame.totalMs)} ms, ${(share * 100).toFixed(1)} %`
  const y = (row + 1) * rowHeight
  const text =
    label.length < 3 ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 13}">${escaped(label)}</text>`
  return `<g><title>${escaped(hint)}</title><rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(frame)}"/>${text}</g>`
}

/** Ours, packages, and what isn't JavaScript, apart. */
function colourOf({ place }: Frame): string {
  if (place === '') return '#d4d4d8'
  if (place.startsWith('node:')) return '#bfdbfe'
  return /^[\w@.-]+\/(src|bin)\/|^[\w.-]+\/[\w-]+\/src\//.test(place) && !place.startsWith('@')
    ? '#fdba74'
    : '#fde68a'
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
