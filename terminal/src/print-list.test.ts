import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { type Column, printList } from './print-list.ts'
import { gatheredOutput } from './testing-output.ts'

interface Shop {
  readonly id: string
  readonly madeAt: Date
  readonly name: string
}

const shops: readonly Shop[] = [
  { id: 'a', madeAt: new Date('2026-11-01T09:00:00.123Z'), name: 'Old Mill' },
  { id: 'bcdef', madeAt: new Date('2026-11-02T09:00:00Z'), name: '茶の店' },
]
const columns: readonly Column<Shop>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'name', of: ({ name }) => name },
  { title: 'made', of: ({ madeAt }) => madeAt },
]
const none = 'There are no shops.'

test('a terminal gets a table whose columns stand below their titles, wide characters included', () => {
  const { stream, text } = gatheredOutput(80)
  printList(shops, { columns, none, stream })
  expect(stripVTControlCharacters(text()).split('\n')).toEqual([
    'id     name      made',
    'a      Old Mill  2026-11-01T09:00:00Z',
    'bcdef  茶の店    2026-11-02T09:00:00Z',
    '',
  ])
  expect(text()).toContain('\u001B[1m')
})

test('a pipe gets a row a line, without titles or colours', () => {
  const { stream, text } = gatheredOutput()
  printList(shops, { columns, none, stream })
  expect(text()).toBe('a  Old Mill  2026-11-01T09:00:00Z\nbcdef  茶の店  2026-11-02T09:00:00Z\n')
})

test('a program gets one JSON array, also of no rows', () => {
  const { stream, text } = gatheredOutput(80)
  printList(shops, { columns, none, stream, json: true })
  expect(JSON.parse(text())).toEqual(JSON.parse(JSON.stringify(shops)))
  const empty = gatheredOutput(80)
  printList([], { columns, none, stream: empty.stream, json: true })
  expect(empty.text()).toBe('[]\n')
})

test('a person is told when there is no row', () => {
  const { stream, text } = gatheredOutput(80)
  printList([], { columns, none, stream })
  expect(text()).toBe(`${none}\n`)
})

test('a name can’t move the cursor or colour the terminal', () => {
  const { stream, text } = gatheredOutput()
  printList([{ id: 'a', madeAt: new Date(0), name: 'A\u001B[2J\r\nshop' }], { columns, none, stream })
  expect(text()).toBe('a  A [2J shop  1970-01-01T00:00:00Z\n')
})
