import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { format, resolveConfig } from 'prettier'
import { beforeAll, describe, expect, test, vi } from 'vitest'

const source = path.resolve(import.meta.dirname, '..')
const mostColumns = 120

const files = globSync('*/**/*.sql', { cwd: source }).sort()

describe('the layout of the SQL', () => {
  // Prettier leaves a body that its plugin can't parse unchanged, and reports it only in debug mode.
  beforeAll(() => {
    vi.stubEnv('PRETTIER_DEBUG', '1')
    return () => {
      vi.unstubAllEnvs()
    }
  })

  test.each(files)('%s: the formatter reads every statement and every function', async (file) => {
    const text = readFileSync(path.join(source, file), 'utf8')
    const options = await resolveConfig(path.join(source, file))
    expect(await format(text, { ...options, filepath: file })).toBe(text)
  })

  test(`no line has more than ${mostColumns} columns`, () => {
    const long = files.flatMap((file) =>
      readFileSync(path.join(source, file), 'utf8')
        .split('\n')
        .flatMap((line, at) => (line.length > mostColumns ? [`${file}:${at + 1}`] : [])),
    )
    expect(long).toEqual([])
  })
})
