import { readFileSync } from 'node:fs'
import { subscribe } from 'node:diagnostics_channel'
import path from 'node:path'
import { z } from 'zod'
import type { AnsweredCall } from '../sql/answer-of.ts'

const file = path.resolve(import.meta.dirname, '../sql/generated/answers.json')

/**
 * Compares every answer of an SQL function with its declared type. A test run fails with an unhandled error if one
 * differs.
 */
export function holdAnswersToDeclarations(): void {
  const schemas = JSON.parse(readFileSync(file, 'utf8')) as Readonly<
    Record<string, z.core.JSONSchema.JSONSchema>
  >
  const parsers = new Map<string, z.ZodType>()
  subscribe('commerce-graph:sql-answer', (message) => {
    const { name, answer } = message as AnsweredCall
    const schema = schemas[name]
    if (schema === undefined) return
    const parser = parsers.get(name) ?? z.fromJSONSchema(schema)
    parsers.set(name, parser)
    const { error } = parser.safeParse(answer)
    if (error !== undefined) {
      throw new TypeError(`${name} answers what it does not declare: ${JSON.stringify(answer)}`, {
        cause: error,
      })
    }
  })
}
