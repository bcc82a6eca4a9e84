import 'uplot/dist/uPlot.min.css'
import { type ReactNode, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { unitsOf, useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { colorOf, usePlotLook } from '../ui/plot-look.ts'

export interface SalesDay {
  readonly startTime: string
  readonly value: number | null
  readonly previousValue: number | null
}

interface Props {
  readonly days: readonly SalesDay[]
  readonly currency: string
  readonly onChoose: (startTime: string) => void
}

/** Pixels. */
const height = 260

/** Sales by day, beside the period before. A click opens the day's orders; the table says the same to those who can't see it. */
export function SalesChart({ days, currency, onChoose }: Props): ReactNode {
  const t = useText()
  const { money, roundMoney, day, date } = useFormat()
  const { timeZone } = useShop()
  const place = useRef<HTMLDivElement>(null)
  const shown = usePlotLook()
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const style = getComputedStyle(element)
    const color = (name: string) => colorOf(element, style.getPropertyValue(name))
    const units = unitsOf(currency)
    const axis = {
      stroke: color('--muted'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    }
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
            values: (_plot, ticks) => ticks.map((tick) => roundMoney(tick * units, currency)),
          },
        ],
        series: [
          {},
          { stroke: color('--chart-before'), width: 1.5, dash: [4, 4], points: { show: false } },
          { stroke: color('--chart'), fill: color('--chart-soft'), width: 2, points: { show: false } },
        ],
      },
      [
        days.map(({ startTime }) => Date.parse(startTime) / 1_000),
        days.map(({ previousValue }) => (previousValue ?? 0) / units),
        days.map(({ value }) => (value ?? 0) / units),
      ],
      element,
    )
    const choose = () => {
      const chosen = days[plot.cursor.idx ?? -1]
      if (chosen !== undefined) onChoose(chosen.startTime)
    }
    plot.over.addEventListener('click', choose)
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [days, currency, timeZone, onChoose, day, roundMoney, shown])
  return (
    <figure>
      <div className="chart" ref={place} aria-hidden="true" />
      <div className="legend" aria-hidden="true">
        <span>{t('thisPeriod')}</span>
        <span className="before">{t('periodBefore')}</span>
      </div>
      <table className="hidden">
        <caption>{t('salesByDay')}</caption>
        <tbody>
          {days.map(({ startTime, value, previousValue }) => (
            <tr key={startTime}>
              <th scope="row">{date(startTime)}</th>
              <td>{money(value ?? 0, currency)}</td>
              <td>{money(previousValue ?? 0, currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
