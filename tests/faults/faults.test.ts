import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyEdit, readFaults } from './fault.ts'

const root = path.resolve(import.meta.dirname, '../..')
const faults = readFaults()

describe('every fault that tests are to notice', () => {
  test('can still be put in: each of its edits has exactly one place', () => {
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

  test('has tests that are there', () => {
    const missing = faults.flatMap(({ name, tests }) =>
      tests.filter((file) => !existsSync(path.join(root, file))).map((file) => `${name}: ${file}`),
    )
    expect(missing).toEqual([])
  })

  test('has a name of its own', () => {
    const names = faults.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
