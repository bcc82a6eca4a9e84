import { describe, expect, test } from 'vitest'
import { toCsv } from '../admin/src/reports/csv.ts'
import { pivot } from '../admin/src/reports/pivot.ts'

type Row = Parameters<typeof pivot>[0][number]

const row = (startTime: string, metric: Row['metric'], value: number, changes: Partial<Row> = {}): Row => ({
  startTime,
  metric,
  value,
  currency: null,
  previousValue: null,
  orderStatus: null,
  product: null,
  category: null,
  ...changes,
})

describe('the table of a report', () => {
  test('has a line for each interval and a column for each metric and currency, in the order they were asked for', () => {
    const rows = [
      row('2026-01-01', 'TOTAL_SALES', 500, { currency: 'USD' }),
      row('2026-01-01', 'ORDERS', 2),
      row('2026-01-02', 'TOTAL_SALES', 300, { currency: 'EUR', previousValue: 7 }),
    ]
    const table = pivot(rows, { metrics: ['ORDERS', 'TOTAL_SALES'], hasIntervals: true, groupOf: () => null })
    expect(table.columns).toEqual([
      { metric: 'ORDERS', currency: null },
      { metric: 'TOTAL_SALES', currency: 'EUR' },
      { metric: 'TOTAL_SALES', currency: 'USD' },
    ])
    expect(
      table.lines.map(({ startTime, cells }) => [startTime, ...cells.map(({ value }) => value)]),
    ).toEqual([
      ['2026-01-01', 2, 0, 500],
      ['2026-01-02', 0, 300, 0],
    ])
    expect(table.lines[1]?.cells[1]?.before).toBe(7)
  })

  test('has a line for each group, the one without a group apart', () => {
    const rows = [
      row('2026-01-01', 'UNITS', 3, { category: { id: 'a', name: 'Tents' } }),
      row('2026-01-01', 'UNITS', 1),
    ]
    const groupOf = ({ category }: Row) => category?.name ?? null
    const table = pivot(rows, { metrics: ['UNITS'], hasIntervals: false, groupOf })
    expect(table.lines.map(({ startTime, group, cells }) => [startTime, group, cells[0]?.value])).toEqual([
      [null, 'Tents', 3],
      [null, null, 1],
    ])
  })
})

test('a file has no cell that a spreadsheet would run, and keeps what is between quotes', () => {
  expect(
    toCsv([
      ['Name', 'Sales'],
      ['=1+1', -3.5],
      ['a "b", c', null],
    ]),
  ).toBe('Name,Sales\r\n\'=1+1,-3.5\r\n"a ""b"", c",\r\n')
})
