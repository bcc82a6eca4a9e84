/** Writes the modules through which TypeScript calls the functions of `sql/`. CI fails when they are not fresh. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { typescriptModules } from '../src/functions/typescript-modules.ts'
import { readSource } from '../src/read-source.ts'

const folder = path.resolve(import.meta.dirname, '../../actions/src/sql/generated')

try {
  const modules = await typescriptModules(await readSource())
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of modules) writeFileSync(path.join(folder, file), text)
  console.log(folder)
} catch (error) {
  if (!(error instanceof SyntaxError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
