import { loadContract } from '@commerce-graph/contract'
import { expect, test } from 'vitest'
import { readExportQuery } from './export-query.ts'

const { schema } = loadContract()

const chain = (levels: number, inside: (spread: string) => string): string =>
  Array.from({ length: levels }, (_, i) => `fragment F${i} on Category { ${inside(`...F${i + 1}`)} }`).join(
    ' ',
  )

const exportOf = (fragments: string, levels: number) =>
  readExportQuery(
    schema,
    `{ categories { nodes { ...F0 } } } ${fragments} fragment F${levels} on Category { id }`,
  )

test('a fragment that is spread twice on one object adds its columns once', () => {
  const read = exportOf(
    chain(40, (spread) => `${spread} ${spread}`),
    40,
  )
  expect(read.kind === 'query' && read.query.columns).toEqual([{ path: ['id'] }])
})

test('fragments that are spread in several fields make no more columns than a file may have', () => {
  const fourTimes = (spread: string): string =>
    ['', 'a: ', 'b: ', 'c: '].map((alias) => `${alias}parent { ${spread} }`).join(' ')
  expect(exportOf(chain(14, fourTimes), 14)).toEqual({
    kind: 'refused',
    reason: 'The records have more than 1000 values: select fewer',
  })
  const few = exportOf(chain(2, fourTimes), 2)
  expect(few.kind === 'query' && few.query.columns).toHaveLength(16)
})
