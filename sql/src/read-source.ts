import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'libpg-query'
import type { Statement } from './statement.ts'

/** The folder of the domains: `sql/`. */
const sourceFolder = path.resolve(import.meta.dirname, '..')

/** The files in the folder of a domain, in the order in which they run. */
const filePatterns = [
  'extensions.sql',
  'types.sql',
  'tables.sql',
  'functions.sql',
  'functions/*.sql',
  'views.sql',
  'triggers.sql',
  'data.sql',
  'every-table.sql',
] as const

/** All statements of the source, kind by kind of file, and within a kind by domain. Throws a SyntaxError that names file and line. */
export async function readSource(source = sourceFolder): Promise<readonly Statement[]> {
  const files = filePatterns.flatMap((pattern) => globSync(`*/${pattern}`, { cwd: source }).sort())
  const strangers = globSync('*/**/*.sql', { cwd: source }).filter((file) => !files.includes(file))
  if (strangers.length > 0)
    throw new SyntaxError(
      `${strangers.join(', ')}: a domain has ${filePatterns.join(', ')}, and nothing else`,
    )
  const statements: Statement[] = []
  for (const file of files) statements.push(...(await statementsOf(file, path.join(source, file))))
  return statements
}

async function statementsOf(file: string, from: string): Promise<readonly Statement[]> {
  const bytes = readFileSync(from)
  const { stmts = [] } = await parsed(file, bytes.toString())
  let before = 0
  return stmts.map(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    if (stmt === undefined) throw new SyntaxError(`${file} has an empty statement`)
    const end = length === undefined ? bytes.length : start + length
    const text = bytes.subarray(start, end).toString().trim()
    const comment = bytes.subarray(before, start).toString().replace(/^;/, '').trim()
    before = end
    return { file, node: stmt, text: `${text};`, comment }
  })
}

async function parsed(file: string, text: string): ReturnType<typeof parse> {
  try {
    return await parse(text)
  } catch (error) {
    throw new SyntaxError(`sql/${file}: ${String(error)}`, { cause: error })
  }
}
