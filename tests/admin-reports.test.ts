import { describe, expect, test } from 'vitest'
import { cellsForFile } from '../admin/src/reports/cells-for-file.ts'
import { toCsv } from '../admin/src/reports/csv.ts'
import { metricsBy } from '../admin/src/reports/metrics.ts'
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

  test('has a line for each group though two have one name, and one for all that are of none', () => {
    const tents = (id: string) => ({ category: { id, name: 'Tents' } })
    const rows = [
      row('2026-01-01', 'UNITS', 3, tents('a')),
      row('2026-01-01', 'UNITS', 4, tents('b')),
      row('2026-01-01', 'UNITS', 1, { previousValue: 5 }),
      row('2026-01-01', 'UNITS', 2),
    ]
    const groupOf = ({ category }: Row) => category
    const table = pivot(rows, { metrics: ['UNITS'], hasIntervals: false, groupOf })
    expect(table.lines.map(({ startTime, group, cells }) => [startTime, group, cells[0]?.value])).toEqual([
      [null, 'Tents', 3],
      [null, 'Tents', 4],
      [null, null, 3],
    ])
    expect(table.lines[2]?.cells[0]?.before).toBe(5)
  })
})

test('counts are not offered by currency, since their rows don’t say which', () => {
  expect(metricsBy('CURRENCY')).toContain('TOTAL_SALES')
  expect(metricsBy('CURRENCY')).not.toContain('ORDERS')
  expect(metricsBy('STATUS')).toContain('ORDERS')
})

test('a file has no cell that a spreadsheet would run, and keeps what is between quotes', () => {
  expect(
    toCsv([
      ['Name', 'Sales'],
      ['=1+1', -3.5],
      ["'=1+1", 0],
      ['a "b", c', null],
    ]),
  ).toBe('\uFEFFName,Sales\r\n\'=1+1,-3.5\r\n\'\'=1+1,0\r\n"a ""b"", c",\r\n')
})

test('a line of a file has a cell for each title, also where it has no group, and amounts in the currency’s own unit', () => {
  const rows = [
    row('2026-01-01', 'REVENUE', 1250, {
      currency: 'USD',
      category: { id: 'a', name: 'Tents' },
      previousValue: 0,
    }),
    row('2026-01-01', 'REVENUE', 5, { currency: 'USD' }),
  ]
  const table = pivot(rows, { metrics: ['REVENUE'], hasIntervals: true, groupOf: ({ category }) => category })
  const titles = ['From', 'Category', 'Goods (USD)', 'Goods (USD) before']
  const parts = {
    titles,
    compares: true,
    noGroup: 'None',
    interval: 'DAY',
    timeZone: 'UTC',
    unitsOf: () => 100,
  } as const
  expect(cellsForFile(table, parts)).toEqual([
    titles,
    ['2026-01-01', 'Tents', 12.5, 0],
    ['2026-01-01', 'None', 0.05, null],
  ])
})

test.each([
  ['2026-11-24T23:00:00.000Z', 'Europe/Berlin', 'DAY', '2026-11-25'],
  ['2026-11-24T23:00:00.000Z', 'Europe/Berlin', 'HOUR', '2026-11-25 00:00'],
  ['2026-10-31T07:00:00.000Z', 'America/Los_Angeles', 'DAY', '2026-10-31'],
  ['2026-10-31T18:30:00.000Z', 'Asia/Kolkata', 'MONTH', '2026-11-01'],
] as const)(
  'a line of a file that begins at %s is at %s by %s: %s',
  (startTime, timeZone, interval, shown) => {
    const table = pivot([row(startTime, 'ORDERS', 2)], {
      metrics: ['ORDERS'],
      hasIntervals: true,
      groupOf: () => null,
    })
    const titles = ['From', 'Orders']
    expect(
      cellsForFile(table, { titles, compares: false, noGroup: null, interval, timeZone, unitsOf: () => 100 }),
    ).toEqual([titles, [shown, 2]])
  },
)
