import { orderStatements } from './order-statements.ts'
import type { Statement } from './statement.ts'

export interface MigrationFiles {
  readonly up: string
  readonly down: string
}

/** Makes everything in an empty database, and takes it away again. */
export function initialMigration(statements: readonly Statement[]): MigrationFiles {
  const ordered = orderStatements(statements)
  const schemas = ordered.flatMap(({ node }) =>
    'CreateSchemaStmt' in node ? [node.CreateSchemaStmt.schemaname ?? ''] : [],
  )
  return {
    up: `${generated}\n${ordered.map(withFile(ordered)).join('\n')}\n`,
    down: `${generated}\n${schemas
      .toReversed()
      .map((schema) => `DROP SCHEMA ${schema} CASCADE;\n`)
      .join('')}`,
  }
}

const generated = '-- Written by `npm run migration` from sql/, where each of these is found and changed.'

/** A statement under the name of its file, where that is another than the one before. */
const withFile =
  (ordered: readonly Statement[]) =>
  ({ file, text }: Statement, index: number): string =>
    `${ordered[index - 1]?.file === file ? '' : `\n-- sql/${file}\n`}\n${text}`
