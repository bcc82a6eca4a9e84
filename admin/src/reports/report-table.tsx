import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { metrics } from './metrics.ts'
import type { Cell, Pivot, PivotColumn } from './pivot.ts'

interface Props {
  readonly caption: string
  readonly pivot: Pivot
  readonly compares: boolean
  readonly groupTitle: MessageName | null
}

/** A report as a table, each figure beside the one before. */
export function ReportTable({ caption, pivot, compares, groupTitle }: Props): ReactNode {
  const t = useText()
  const { date } = useFormat()
  const titleOf = useColumnTitle()
  const show = useShownValue()
  const hasIntervals = pivot.lines.some(({ startTime }) => startTime !== null)
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table className="report">
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {hasIntervals && <th scope="col">{t('from')}</th>}
            {groupTitle !== null && <th scope="col">{t(groupTitle)}</th>}
            {pivot.columns.map((column, place) => (
              <th key={place} scope="col" className="end">
                {titleOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pivot.lines.map((line) => (
            <tr key={line.key}>
              {line.startTime !== null && <th scope="row">{date(line.startTime)}</th>}
              {groupTitle !== null && <th scope="row">{line.group ?? t('noGroup')}</th>}
              {pivot.columns.map((column, place) => (
                <td key={place} className="end">
                  <Figure cell={line.cells[place]} column={column} compares={compares} show={show} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Show = (value: number | null, column: PivotColumn) => string

interface FigureProps {
  readonly cell: Cell | undefined
  readonly column: PivotColumn
  readonly compares: boolean
  readonly show: Show
}

const Figure = ({ cell, column, compares, show }: FigureProps): ReactNode => (
  <span className="two">
    <span>{show(cell?.value ?? null, column)}</span>
    {compares && <span className="small muted">{show(cell?.before ?? null, column)}</span>}
  </span>
)

export function useColumnTitle(): (column: PivotColumn) => string {
  const t = useText()
  return ({ metric, currency }) =>
    currency === null ? t(metrics[metric].name) : `${t(metrics[metric].name)} (${currency})`
}

function useShownValue(): Show {
  const { money, number } = useFormat()
  return (value, { currency }) =>
    value === null ? '–' : currency === null ? number(value) : money(value, currency)
}
