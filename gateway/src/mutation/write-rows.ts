import type { DataLayerResult, Operation } from '@commerce-graph/data-layer'
import { catalogueError, missingFeature } from '@commerce-graph/contract/errors'
import { keptValues, onePerField, validate } from '@commerce-graph/contract'
import { notFound, type UserError } from '@commerce-graph/contract/input'
import type { QueryContext } from '../query/execute-query.ts'
import type { Row } from '../shape/shape.ts'
import { violationError } from './constraints.ts'
import type { RowsMutation, Values } from './definition.ts'
import { lookUpErrors, lookUpOperation } from './look-up.ts'
import { ask, defect, type Outcome } from './mutation-outcome.ts'
import type { PlannedCall } from './plan-mutation.ts'
import { findEarlier, keyVariables } from './replay.ts'
import { rowsOperation, writtenRecord } from './rows-operation.ts'

/** Writes rows, unless an earlier request with the same Idempotency-Key has, or one at the same time is quicker. */
export const writeRows = async (
  definition: RowsMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<Outcome> => (await replayed(definition, call, context)) ?? writeNow(definition, call, context)

async function replayed(
  definition: RowsMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<Outcome | null> {
  const earlier = await findEarlier(call, context)
  switch (earlier.kind) {
    case 'none':
      return null
    case 'conflict':
      return { kind: 'refused', error: earlier.error }
    case 'same':
      break
    default:
      return earlier satisfies never
  }
  const outcome = { kind: 'done', result: {}, refusal: null, replayed: true } as const
  if (definition.record === null || earlier.id === undefined) return { ...outcome, row: null }
  const { record: written } = definition.write(keptValues(call.rules, call.args), context.principal)
  const statement = written.readAgain(earlier.id)
  const operation = rowsOperation({ before: [], record: statement }, call)
  const result = await ask(operation, context, call)
  if (result.kind !== 'data') return defect(operation, result, context)
  const record = writtenRecord(statement, (JSON.parse(result.json) as Row)['record'])
  // A record that was deleted in the meantime was created all the same.
  return { ...outcome, row: record.kind === 'written' ? record.row : null }
}

async function writeNow(
  definition: RowsMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<Outcome> {
  const faults = onePerField([
    ...call.faults,
    ...validate(call.rules, call.args),
    ...definition.check(call.args, context.principal),
  ])
  if (faults.length > 0) {
    // The look-ups run now, so that the client gets all errors at once.
    const known = await lookUp(definition, call, context)
    return { kind: 'invalid', errors: onePerField([...faults, ...known]) }
  }
  const write = definition.write(keptValues(call.rules, call.args), context.principal)
  const operation = rowsOperation(write, call)
  const result = await ask(operation, context, call, {
    ...write.session,
    ...keyVariables(call, write, context),
  })
  if (result.kind !== 'data')
    return (
      (await replayed(definition, call, context)) ??
      refusedWrite(definition, call, operation, result, context)
    )
  const answer = JSON.parse(result.json) as Row
  const record = writtenRecord(write.record, answer['record'])
  if (record.kind === 'not found')
    return (
      (await replayed(definition, call, context)) ?? {
        kind: 'invalid',
        errors: [unknownRecord(definition, call)],
      }
    )
  return { kind: 'done', row: record.row, result: {}, refusal: null, replayed: false }
}

const unknownRecord = ({ id, what }: RowsMutation, { args }: PlannedCall): UserError =>
  notFound(id ?? 'id', what, typeof args[id ?? 'id'] === 'string' ? (args[id ?? 'id'] as string) : '')

/** A write that the database or a permission refused: whatever in the input explains it, else our fault. */
async function refusedWrite(
  definition: RowsMutation,
  call: PlannedCall,
  operation: Operation,
  result: Exclude<DataLayerResult, { kind: 'data' }>,
  context: QueryContext,
): Promise<Outcome> {
  const [error] = result.kind === 'errors' ? result.errors : []
  const feature = error?.violation && missingFeature(error.violation)
  if (feature) return { kind: 'refused', error: feature }
  const input = definition.input === null ? call.args : (call.args[definition.input] as Values)
  const violation = error?.violation && violationError(error.violation, { ...call.args, ...input })
  if (violation || error?.extensions?.code === 'permission-error') {
    const known = await lookUp(definition, call, context)
    if (known.length > 0) return { kind: 'invalid', errors: known }
    if (violation) return { kind: 'invalid', errors: [violation] }
    // A row check refused what no look-up explains: what the row hangs on is gone.
    if (definition.id !== null) return { kind: 'invalid', errors: [unknownRecord(definition, call)] }
    return { kind: 'refused', error: catalogueError('SVC_AUTH_003', {}) }
  }
  return defect(operation, result, context)
}

async function lookUp(
  definition: RowsMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<readonly UserError[]> {
  const lookUps = definition.lookUps(call.args, context.principal)
  const operation = lookUpOperation(lookUps)
  if (operation === null) return []
  const result = await ask(operation, context, call)
  if (result.kind === 'data') return lookUpErrors(lookUps, JSON.parse(result.json) as Row)
  context.report({ kind: 'engine', document: operation.query, answer: result })
  return []
}
