import 'uplot/dist/uPlot.min.css'
import { type ReactNode, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { useFormat } from '../format/format.ts'
import { unitsOf } from '../format/money.ts'
import { useShop } from '../shell/shop.ts'
import { colorOf, usePlotLook } from './plot-look.ts'

export interface TimePoint {
  readonly startTime: string
  readonly value: number | null
  readonly before: number | null
}

interface Props {
  readonly points: readonly TimePoint[]
  /** Null: what is counted is no money. */
  readonly currency: string | null
  /** After a click on a point. */
  readonly onChoose?: (startTime: string) => void
}

/** Pixels. */
const height = 260

/** A figure over time, beside the time before. It is for eyes alone: a table has to say the same. */
export function TimeChart({ points, currency, onChoose }: Props): ReactNode {
  const { roundMoney, number, day } = useFormat()
  const { timeZone } = useShop()
  const place = useRef<HTMLDivElement>(null)
  const look = usePlotLook()
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const style = getComputedStyle(element)
    const color = (name: string) => colorOf(element, style.getPropertyValue(name))
    const units = currency === null ? 1 : unitsOf(currency)
    const axis = {
      stroke: color('--muted'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    }
    // A line needs two.
    const dots = { show: points.length < 2 }
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 8 } },
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), timeZone),
        scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] } },
        axes: [
          {
            ...axis,
            values: (_plot, ticks) => ticks.map((tick) => day(new Date(tick * 1_000).toISOString())),
          },
          {
            ...axis,
            size: 64,
            values: (_plot, ticks) =>
              ticks.map((tick) => (currency === null ? number(tick) : roundMoney(tick * units, currency))),
          },
        ],
        series: [
          {},
          { stroke: color('--chart-before'), width: 1.5, dash: [4, 4], points: dots },
          { stroke: color('--chart'), fill: color('--chart-soft'), width: 2, points: dots },
        ],
      },
      [
        points.map(({ startTime }) => Date.parse(startTime) / 1_000),
        points.map(({ before }) => (before ?? 0) / units),
        points.map(({ value }) => (value ?? 0) / units),
      ],
      element,
    )
    plot.over.addEventListener('click', () => {
      const chosen = points[plot.cursor.idx ?? -1]
      if (chosen !== undefined) onChoose?.(chosen.startTime)
    })
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [points, currency, timeZone, onChoose, day, number, roundMoney, look])
  return <div className="chart" ref={place} aria-hidden="true" />
}
