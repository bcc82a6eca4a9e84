import type { Operation } from '@commerce-graph/data-layer'
import { type HasuraVariable, printVariableDefinitions } from '../plan/hasura-document.ts'
import type { Statement, Write } from './definition.ts'
import type { PlannedCall } from './plan-mutation.ts'

/** The Hasura operation that runs a write's statements in one transaction and returns the record under `record`. */
export function rowsOperation({ before, record }: Write, call: PlannedCall): Operation {
  const { bound, recordSelection } = call
  const declared: HasuraVariable[] = []
  const variables: Record<string, unknown> = { ...bound.variables }
  const print = (statement: Statement, alias: string, selection: string): string => {
    const args = Object.entries(statement.args).map(([name, { type, value }]) => {
      const variable = `${alias}_${name}`
      declared.push({ name: variable, type })
      variables[variable] = value
      return `${name}: $${variable}`
    })
    if (statement.answers === 'query') args.push('limit: 1')
    return `${alias}: ${statement.root}(${args.join(', ')}) ${selection}`
  }
  const fields = [
    ...before.map((statement, index) => print(statement, `before${index}`, '{ affected_rows }')),
    print(record, 'record', recordSelectionOf(record, recordSelection)),
  ]
  const definitions = printVariableDefinitions([...declared, ...call.variables])
  const keyword = record.answers === 'query' ? 'query' : 'mutation'
  return { query: `${keyword}${definitions} { ${fields.join(' ')} }`, variables }
}

function recordSelectionOf({ answers }: Statement, selection: string | null): string {
  switch (answers) {
    case 'row':
    case 'query':
      return selection ?? '{ __typename }'
    case 'rows':
      return selection === null ? '{ affected_rows }' : `{ affected_rows returning ${selection} }`
  }
}

/** The record in the operation's answer. */
export type WrittenRecord =
  | { readonly kind: 'written'; readonly row: Record<string, unknown> }
  /** No row matched: the id is unknown, or not the caller's. */
  | { readonly kind: 'not found' }

/** Finds the record in what Hasura answered. */
export function writtenRecord({ answers }: Statement, answer: unknown): WrittenRecord {
  switch (answers) {
    case 'row':
      return answer == null
        ? { kind: 'not found' }
        : { kind: 'written', row: answer as Record<string, unknown> }
    case 'query': {
      const [row] = answer as readonly Record<string, unknown>[]
      return row ? { kind: 'written', row } : { kind: 'not found' }
    }
    case 'rows': {
      const { affected_rows: affected, returning } = answer as {
        readonly affected_rows: number
        readonly returning?: readonly Record<string, unknown>[]
      }
      return affected > 0 ? { kind: 'written', row: returning?.[0] ?? {} } : { kind: 'not found' }
    }
  }
}
