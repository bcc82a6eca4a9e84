import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyEdit, readFaults } from './fault.ts'

const root = path.resolve(import.meta.dirname, '../..')
const faults = readFaults()

describe('every listed fault', () => {
  test('can still be applied: each of its edits has exactly one place', () => {
    const outdated = faults.flatMap(({ area, name, edits }) =>
      edits.flatMap((edit) => {
        try {
          const text = readFileSync(path.join(root, edit.file), 'utf8')
          return applyEdit(text, edit) === text ? [`${area}: ${name}: changes nothing`] : []
        } catch (error) {
          return [`${area}: ${name}: ${String(error)}`]
        }
      }),
    )
    expect(outdated).toEqual([])
  })

  test('names tests that exist', () => {
    const missing = faults.flatMap(({ name, tests }) =>
      tests.filter((file) => !existsSync(path.join(root, file))).map((file) => `${name}: ${file}`),
    )
    expect(missing).toEqual([])
  })

  test('has a unique name', () => {
    const names = faults.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
