import { describe, expect, test } from 'vitest'
import { listShape, rowShape, shapeContext, type FieldShape } from './shape.ts'

const context = () => shapeContext([])
const field = (key: string, rest: Partial<FieldShape> = {}): FieldShape => ({
  key,
  field: `Thing.${key}`,
  nonNull: false,
  ...rest,
})

describe('a row', () => {
  test('without changes has no shape', () => {
    expect(rowShape([field('a'), field('b')])).toBeUndefined()
    expect(listShape(rowShape([field('a')]))).toBeUndefined()
  })

  test('is changed in place and keeps the order of its keys', () => {
    const shape = rowShape([field('a', { extract: (raw) => (raw as { value: number }).value })])
    const row = { z: 1, a: { value: 2 }, b: 3 }
    expect(shape?.(row, context())).toBe(row)
    expect(JSON.stringify(row)).toBe('{"z":1,"a":2,"b":3}')
  })

  test('without a required value is null, with the value’s path', () => {
    const inner = rowShape([field('name', { nonNull: true })])
    const outer = rowShape([
      field('list', {
        nonNull: true,
        complete: listShape(inner),
      }),
      field('other', { complete: inner }),
    ])
    if (!inner || !outer) throw new Error('there is something to do')
    const report = context()
    expect(outer({ list: [{ name: 'x' }, { name: null }], other: null }, report)).toBeNull()
    expect(report.violations).toEqual([{ path: ['list', 1, 'name'], field: 'Thing.name' }])
    expect(report.path).toEqual([])
  })

  test('keeps its other fields if the missing one is nullable', () => {
    const inner = rowShape([field('name', { nonNull: true })])
    const outer = rowShape([field('child', { complete: inner }), field('sibling', { complete: inner })])
    const report = context()
    const row = { child: { name: null }, sibling: { name: 'y' } }
    expect(outer?.(row, report)).toEqual({ child: null, sibling: { name: 'y' } })
    expect(report.violations).toEqual([{ path: ['child', 'name'], field: 'Thing.name' }])
  })
})
