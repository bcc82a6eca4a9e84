import type { DataLayerResult, Operation } from '@commerce-graph/data-layer'
import type { Attempt } from '@commerce-graph/rate-limits'
import {
  type CatalogueError,
  catalogueError,
  unexpectedError,
  withPath,
  withStatus,
} from '@commerce-graph/contract/errors'
import { notFound, outOfRange, requiredField, type UserError } from '@commerce-graph/contract/input'
import { tooManyCoupons, tooManyGuesses } from '../limits/rate-exceeded.ts'
import type { QueryContext, QueryResult } from '../query/execute-query.ts'
import { type Row, type ShapeContext, shapeContext, type ShortenedList, newRow } from '../shape/shape.ts'
import { actionOperation } from './action-operation.ts'
import { violationError } from './constraints.ts'
import type { ActionMutation, EachMutation, RowsMutation, Values, Write } from './definition.ts'
import { actionRefusal } from './hasura-refusal.ts'
import { lookUpErrors, lookUpOperation, onePerField } from './look-up.ts'
import { keyOfPart, partVariable } from './idempotency-key.ts'
import { missingFeature } from './missing-feature.ts'
import { auditVariables, recordFailure } from './mutation-audit.ts'
import type { PayloadField, PlannedCall, PlannedMutation } from './plan-mutation.ts'
import { rowsOperation, writtenRecord } from './rows-operation.ts'
import { cardNumbersIn } from './rules.ts'

/** What came of one mutation. */
type Outcome =
  /** `refusal` stands beside the data: a declined payment is a record and a failure. */
  | {
      readonly kind: 'done'
      /** Null where the caller may do it but not see it. */
      readonly row: Row | null
      readonly result: Values
      readonly refusal: CatalogueError | null
      /** By an earlier request with the same Idempotency-Key, and not again now. */
      readonly replayed: boolean
    }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }
  | { readonly kind: 'refused'; readonly error: CatalogueError }

/** Runs the fields of a mutation one after the other. Nothing runs before every permission and value is found good. */
export async function executeMutation(
  planned: readonly PlannedMutation[],
  context: QueryContext,
): Promise<QueryResult> {
  const calls = planned.flatMap(({ call }) => call ?? [])
  const refusals = calls.flatMap(({ refusals, bound }) => [...refusals, ...bound.errors])
  if (refusals.length > 0) return { kind: 'refused', errors: refusals }
  const data = newRow()
  const errors: CatalogueError[] = []
  const shortened: ShortenedList[] = []
  let replayed = false
  for (const [index, { key, call }] of planned.entries()) {
    if (!call) {
      data[key] = 'Mutation'
      continue
    }
    const answer = await runField(call, key, calls.length > 1 ? ofPart(context, index) : context)
    data[key] = answer.payload
    errors.push(...answer.errors)
    shortened.push(...answer.shortened)
    replayed ||= answer.replayed
  }
  return { kind: 'data', data, errors, shortened, replayed }
}

/** An Idempotency-Key stands for the client's whole document, and each of its fields happens once for itself. */
const ofPart = (context: QueryContext, index: number): QueryContext => ({
  ...context,
  idempotencyKey: keyOfPart(context.idempotencyKey, index),
})

async function runField(call: PlannedCall, key: string, context: QueryContext): Promise<FieldAnswer> {
  const { definition, faults } = call
  if (faults.length > 0 && definition.kind !== 'rows') return misshapen(call, key, context)
  switch (definition.kind) {
    case 'rows':
      return answerOf(call, key, recorded(call, await writeRows(definition, call, context), context), context)
    case 'action':
      return answerOf(call, key, await runAction(definition, call, context), context)
    case 'each':
      return writeEach(definition, call, key, context)
    default:
      return definition satisfies never
  }
}

/** What is not run, because texts in its arguments are not of the form that they need. */
function misshapen(call: PlannedCall, key: string, context: QueryContext): FieldAnswer {
  const outcome = recorded(call, { kind: 'invalid', errors: onePerField(call.faults) }, context)
  return call.definition.kind === 'each'
    ? eachAnswer(call, key, [outcome], [], context)
    : answerOf(call, key, outcome, context)
}

/** Writes the items of a list one after the other, each in a transaction of its own. */
async function writeEach(
  definition: EachMutation,
  call: PlannedCall,
  key: string,
  context: QueryContext,
): Promise<FieldAnswer> {
  const { of, list, max, toArgs } = definition
  const items = call.args[list] as readonly Values[]
  if (items.length === 0 || items.length > max) {
    const error = items.length === 0 ? requiredField(list) : outOfRange(list, items.length, 1, max)
    return eachAnswer(call, key, [recorded(call, invalid(error), context)], [], context)
  }
  const outcomes: Outcome[] = []
  for (const item of items) outcomes.push(await writeRows(of, { ...call, args: toArgs(item) }, context))
  recordEach(call, outcomes, context)
  const named = outcomes.map((outcome, index): Outcome => {
    if (outcome.kind !== 'invalid') return outcome
    const errors = outcome.errors.map((error) => ({
      ...error,
      field: `${list}.${index}.${error.field}`,
    }))
    return { kind: 'invalid', errors }
  })
  return eachAnswer(call, key, named, named, context)
}

const invalid = (error: UserError): Outcome => ({ kind: 'invalid', errors: [error] })

/** What was done is in the audit log already, by the transaction that did it. */
function recorded(call: PlannedCall, outcome: Outcome, context: QueryContext): Outcome {
  recordEach(call, [outcome], context)
  return outcome
}

/** One entry for all items of a list that came to nothing. */
function recordEach(call: PlannedCall, outcomes: readonly Outcome[], context: QueryContext): void {
  const codes = outcomes.flatMap((outcome) => {
    switch (outcome.kind) {
      case 'done':
        return []
      case 'invalid':
        return outcome.errors.map(({ code }) => code)
      case 'refused':
        return [outcome.error.id]
      default:
        return outcome satisfies never
    }
  })
  if (codes.length === 0) return
  const refused = outcomes.some(({ kind }) => kind === 'refused')
  const failed = codes.includes('SVC_SRV_001')
  recordFailure(context, call, { outcome: failed ? 'FAILED' : refused ? 'REFUSED' : 'INVALID', codes })
}

/** @param items what came of each item, for the payload's list */
function eachAnswer(
  call: PlannedCall,
  key: string,
  outcomes: readonly Outcome[],
  items: readonly Outcome[],
  { report }: QueryContext,
): FieldAnswer {
  const shape = shapeContext(call.bound.pageSizes, [key])
  const faults = outcomes.flatMap((outcome) => (outcome.kind === 'invalid' ? outcome.errors : []))
  const payload = newRow()
  for (const field of call.payload) {
    if (field.kind === 'record')
      payload[field.key] = items.map((item) =>
        item.kind === 'refused' ? null : payloadValue(field, item, shape),
      )
    else payload[field.key] = payloadValue(field, { kind: 'invalid', errors: faults }, shape)
  }
  const { violations, shortened } = shape
  if (violations.length > 0) report({ kind: 'null', violations })
  return {
    payload,
    errors: [
      ...violations.map(({ path }) => withPath(unexpectedError(), path)),
      ...outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [withPath(outcome.error, [key])] : [])),
    ],
    shortened,
    replayed: outcomes.some((outcome) => outcome.kind === 'done' && outcome.replayed),
  }
}

async function writeRows(
  definition: RowsMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<Outcome> {
  const faults = onePerField([
    ...call.faults,
    ...missingId(definition, call),
    ...definition.check(call.args, context.principal),
    ...cardNumbersIn(call.args),
  ])
  if (faults.length > 0) {
    // What only the database knows is asked for now, so that all of it is told at once.
    const known = await lookUp(definition, call, context)
    return { kind: 'invalid', errors: onePerField([...faults, ...known]) }
  }
  const write = definition.write(call.args, context.principal)
  const operation = rowsOperation(write, call)
  const result = await ask(operation, context, call, write.session)
  if (result.kind !== 'data') return refusedWrite(definition, call, operation, result, context)
  const answer = JSON.parse(result.json) as Row
  const record = writtenRecord(write.record, answer['record'])
  if (record.kind === 'not found') return { kind: 'invalid', errors: [unknownRecord(definition, call)] }
  return { kind: 'done', row: record.row, result: {}, refusal: null, replayed: false }
}

const missingId = ({ id }: RowsMutation, { args }: PlannedCall): readonly UserError[] =>
  id !== null && args[id] === '' ? [requiredField(id)] : []

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
  const feature = error && missingFeature(error.message)
  if (feature) return { kind: 'refused', error: feature }
  const input = definition.input === null ? call.args : (call.args[definition.input] as Values)
  const violation = error && violationError(error.message, { ...call.args, ...input })
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

/** Calls an action. One that tries a secret or a coupon is not called for those who have guessed too often. */
async function runAction(
  definition: ActionMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<Outcome> {
  const guess = guessOf(definition, call, context)
  if (guess === null) return callAction(definition, call, context)
  const attempt = await guess.begin()
  if (attempt.kind === 'wait') return { kind: 'refused', error: guess.tooMany(attempt.seconds) }
  try {
    const outcome = await callAction(definition, call, context)
    // What was refused for anything else has tried nothing.
    if (outcome.kind !== 'invalid' || !outcome.errors.some(guess.isWrong)) attempt.takeBack()
    return outcome
  } catch (error) {
    attempt.takeBack()
    throw error
  }
}

interface Guess {
  readonly begin: () => Promise<Attempt>
  readonly isWrong: (error: UserError) => boolean
  readonly tooMany: (seconds: number) => CatalogueError
}

function guessOf(
  { triesSecret, triesCoupon }: ActionMutation,
  { args }: PlannedCall,
  { endClient, principal }: QueryContext,
): Guess | null {
  if (endClient && triesSecret)
    return {
      begin: endClient.beginGuess,
      isWrong: ({ field, code }) => code === 'INVALID_VALUE' && triesSecret.includes(field),
      tooMany: tooManyGuesses,
    }
  const holder = triesCoupon ? couponHolder(args, principal) : null
  if (!endClient || holder === null) return null
  return {
    begin: () => endClient.beginCoupon(holder),
    isWrong: ({ code }) => code === 'INVALID_COUPON',
    tooMany: tooManyCoupons,
  }
}

/** Who tries a coupon; null: the input names none, or no one that it would be for. */
function couponHolder(args: Values, principal: QueryContext['principal']): string | null {
  const input = { ...args, ...(args['input'] as Values | undefined) }
  if (input['code'] == null && input['couponCode'] == null) return null
  if (principal.kind === 'customer') return principal.customerId
  const holder = input['cartId'] ?? input['customerId'] ?? input['id']
  return typeof holder === 'string' ? holder : null
}

async function callAction(
  definition: ActionMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<Outcome> {
  const operation = actionOperation(definition, call)
  const answer = await ask(operation, context, call)
  if (answer.kind !== 'data') {
    const refusal = answer.kind === 'errors' && answer.errors[0] ? actionRefusal(answer.errors[0]) : null
    return refusal ? { kind: 'refused', error: refusal } : defect(operation, answer, context)
  }
  const result = (JSON.parse(answer.json) as { readonly result: Row }).result
  const errors = result['errors'] as readonly UserError[]
  if (errors.length > 0) return { kind: 'invalid', errors }
  const row = definition.record && (result[definition.record.relationship] as Row | null)
  return { kind: 'done', row, result, refusal: paymentRefusal(result), replayed: result['replayed'] === true }
}

/** A declined payment answers its record, and is SVC_BIZ_002 all the same (docs/decisions/0005). */
function paymentRefusal({ error }: Values): CatalogueError | null {
  if (error == null) return null
  const { code, message, declineCode } = error as Readonly<
    Record<'code' | 'message' | 'declineCode', string | null>
  >
  const reason = message ?? code ?? ''
  return catalogueError('SVC_BIZ_002', { reason }, { reason, code, message, declineCode })
}

function ask(
  operation: Operation,
  { dataLayer, principal, signal, headers, audit, endClient, idempotencyKey }: QueryContext,
  call: PlannedCall,
  more: Write['session'] = {},
): Promise<DataLayerResult> {
  const session = {
    ...principal.sessionVariables,
    ...auditVariables(audit, call),
    ...partVariable(idempotencyKey),
    ...(endClient?.network !== undefined && { 'x-hasura-client-network': endClient.network }),
    ...(endClient?.device !== undefined && { 'x-hasura-client-device': endClient.device }),
    ...more,
  }
  return dataLayer.execute(operation, session, { ...(signal && { signal }), ...(headers && { headers }) })
}

function defect(
  { query }: Operation,
  answer: Exclude<DataLayerResult, { kind: 'data' }>,
  { report }: QueryContext,
): Outcome {
  report({ kind: 'engine', document: query, answer })
  const error = answer.kind === 'unavailable' ? withStatus(unexpectedError(), 503) : unexpectedError()
  return { kind: 'refused', error }
}

interface FieldAnswer {
  readonly payload: Row | null
  readonly errors: readonly CatalogueError[]
  readonly shortened: readonly ShortenedList[]
  readonly replayed: boolean
}

function answerOf(call: PlannedCall, key: string, outcome: Outcome, { report }: QueryContext): FieldAnswer {
  if (outcome.kind === 'refused')
    return { payload: null, errors: [withPath(outcome.error, [key])], shortened: [], replayed: false }
  const shape = shapeContext(call.bound.pageSizes, [key])
  const payload = newRow()
  for (const field of call.payload) payload[field.key] = payloadValue(field, outcome, shape)
  const { violations, shortened } = shape
  if (violations.length > 0) report({ kind: 'null', violations })
  const refusal = outcome.kind === 'done' && outcome.refusal ? [withPath(outcome.refusal, [key])] : []
  return {
    payload,
    errors: [...violations.map(({ path }) => withPath(unexpectedError(), path)), ...refusal],
    shortened,
    replayed: outcome.kind === 'done' && outcome.replayed,
  }
}

function payloadValue(
  field: PayloadField,
  outcome: Exclude<Outcome, { kind: 'refused' }>,
  shape: ShapeContext,
): unknown {
  switch (field.kind) {
    case 'typename':
      return field.type
    case 'errors':
      return field.select(outcome.kind === 'invalid' ? outcome.errors : [])
    case 'success':
      return outcome.kind === 'done'
    case 'result':
      return outcome.kind === 'done' ? field.select(outcome.result[field.name]) : null
    case 'record':
      return outcome.kind === 'done' && outcome.row ? field.read(outcome.row, shape) : null
    default:
      return field satisfies never
  }
}
