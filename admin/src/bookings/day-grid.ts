/** Minutes of a day's grid, from midnight of the shop. */
export interface GridHours {
  readonly first: number
  readonly last: number
}

/** Minutes by which an appointment is dragged. */
export const step = 15
const workday: GridHours = { first: 8 * 60, last: 18 * 60 }

export interface Span {
  /** Minutes after midnight. */
  readonly from: number
  readonly to: number
}

export const midnight = 24 * 60
/** Minutes that an appointment is high enough for a line of text. */
const shortest = 10

/** What an appointment takes of the day on which it begins. */
export function spanOfDay(startTime: string, duration: number): Span {
  const from = minutesOf(startTime)
  return { from, to: Math.min(from + Math.max(duration, shortest), midnight) }
}

/** The hours that a day's grid shows: a workday, and whatever of the spans is before or after it. */
export const hoursOf = (spans: readonly Span[]): GridHours => ({
  first: Math.min(workday.first, ...spans.map(({ from }) => Math.floor(from / 60) * 60)),
  last: Math.max(workday.last, ...spans.map(({ to }) => Math.ceil(to / 60) * 60)),
})

/** The times of the grid that are in none of the spans. @param spans within the grid, earliest first */
export function gapsBetween(spans: readonly Span[], { first, last }: GridHours): readonly Span[] {
  const ends = [...spans.map(({ from }) => from), last]
  return [first, ...spans.map(({ to }) => to)]
    .map((from, index) => ({ from, to: ends[index] ?? last }))
    .filter(({ from, to }) => from < to)
}

/** Where an appointment would begin that was dragged so far: by whole steps, and within the day. */
export function draggedTo({ from, to }: Span, minutes: number, { first, last }: GridHours): number {
  const snapped = from + Math.round(minutes / step) * step
  return Math.max(first, Math.min(snapped, last - (to - from)))
}

export interface Lane {
  readonly lane: number
  readonly lanes: number
}

/** Appointments of a column that overlap stand side by side: of each, in which lane of how many. */
export function lanesOf(spans: readonly Span[]): readonly Lane[] {
  const order = spans
    .map((span, index) => ({ ...span, index }))
    .sort((a, b) => a.from - b.from || b.to - a.to)
  const result: Lane[] = Array.from(spans, () => ({ lane: 0, lanes: 1 }))
  let cluster: { index: number; lane: number }[] = []
  let ends: number[] = []
  const close = () => {
    for (const { index, lane } of cluster) result[index] = { lane, lanes: ends.length }
    cluster = []
    ends = []
  }
  for (const { from, to, index } of order) {
    if (ends.every((end) => end <= from)) close()
    const free = ends.findIndex((end) => end <= from)
    const lane = free === -1 ? ends.length : free
    ends[lane] = to
    cluster.push({ index, lane })
  }
  close()
  return result
}

/** Minutes after midnight as a time of day, `09:30`. */
export const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** The minutes after midnight of a time of day. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}
