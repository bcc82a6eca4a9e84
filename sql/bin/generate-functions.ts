/** Writes the modules through which TypeScript calls the functions of `sql/`. CI fails when they are not fresh. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { typescriptModules } from '../src/functions/typescript-modules.ts'
import { readSource } from '../src/read-source.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../actions/src/sql/generated')

try {
  const modules = await typescriptModules(await readSource())
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const [file, text] of modules) writeFileSync(path.join(FOLDER, file), text)
  console.log(FOLDER)
} catch (error) {
  if (!(error instanceof SyntaxError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
