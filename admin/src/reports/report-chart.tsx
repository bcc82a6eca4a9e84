import 'uplot/dist/uPlot.min.css'
import { type ReactNode, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { unitsOf, useFormat } from '../format/format.ts'
import { useShop } from '../shell/shop.ts'
import { colorOf, usePlotLook } from '../ui/plot-look.ts'
import type { Pivot } from './pivot.ts'

/** Pixels. */
const height = 240

/** The first column of a report over its intervals, beside the time before. The table below says the same to those who can't see it. */
export function ReportChart({ pivot }: { readonly pivot: Pivot }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const { day, number, roundMoney } = useFormat()
  const { timeZone } = useShop()
  const look = usePlotLook()
  useEffect(() => {
    const element = place.current
    const [column] = pivot.columns
    if (element === null || column === undefined) return undefined
    const { currency } = column
    const units = currency === null ? 1 : unitsOf(currency)
    const style = getComputedStyle(element)
    const color = (name: string) => colorOf(element, style.getPropertyValue(name))
    const axis = {
      stroke: color('--muted'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    }
    const points = pivot.lines.length < 2
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false },
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
          { stroke: color('--chart-before'), width: 1.5, dash: [4, 4], points: { show: points } },
          { stroke: color('--chart'), fill: color('--chart-soft'), width: 2, points: { show: points } },
        ],
      },
      [
        pivot.lines.map(({ startTime }) => Date.parse(startTime ?? '') / 1_000),
        pivot.lines.map(({ cells: [cell] }) => (cell?.before ?? 0) / units),
        pivot.lines.map(({ cells: [cell] }) => (cell?.value ?? 0) / units),
      ],
      element,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [pivot, timeZone, day, number, roundMoney, look])
  return <div className="chart" ref={place} aria-hidden="true" />
}
