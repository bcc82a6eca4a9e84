import { type ReactNode, useMemo } from 'react'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { TimeChart } from '../ui/time-chart.tsx'

export interface SalesDay {
  readonly startTime: string
  readonly value: number | null
  readonly previousValue: number | null
}

interface Props {
  /** Undefined: they haven't come. The place of the chart is kept free. */
  readonly days: readonly SalesDay[] | undefined
  readonly currency: string
  readonly onChoose: (startTime: string) => void
}

/** Sales by day, beside the period before. A click opens the day's orders; the table says the same to those who can't see it. */
export function SalesChart({ days, currency, onChoose }: Props): ReactNode {
  const t = useText()
  const { money, date } = useFormat()
  const points = useMemo(() => days?.map((each) => ({ ...each, before: each.previousValue })), [days])
  return (
    <figure>
      {points === undefined ? (
        <div className="chart" />
      ) : (
        <TimeChart points={points} currency={currency} onChoose={onChoose} />
      )}
      <div className="legend" aria-hidden="true">
        <span>{t('thisPeriod')}</span>
        <span className="before">{t('periodBefore')}</span>
      </div>
      <table className="hidden">
        <caption>{t('salesByDay')}</caption>
        <tbody>
          {days?.map(({ startTime, value, previousValue }) => (
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
