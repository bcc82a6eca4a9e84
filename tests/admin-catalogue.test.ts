import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

const folder = path.resolve(import.meta.dirname, '../admin/src/language/catalogue')

test('no text of the admin has the name of another one, which would take its place', async () => {
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))
  const names = texts.flatMap((text) => [...text.matchAll(/^ {2}(\w+): \{/gm)].map(([, name = '']) => name))
  expect(names.length).toBeGreaterThan(500)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
