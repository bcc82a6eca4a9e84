import type { Attempt } from '@commerce-graph/rate-limits'
import {
  type CatalogueError,
  catalogueError,
  unexpectedError,
  withPath,
} from '@commerce-graph/contract/errors'
import { listErrors, onePerField } from '@commerce-graph/contract'
import type { UserError } from '@commerce-graph/contract/input'
import { tooManyCoupons, tooManyGuesses } from '../limits/rate-exceeded.ts'
import type { QueryContext, QueryResult } from '../query/execute-query.ts'
import { type Row, type ShapeContext, shapeContext, type ShortenedList, newRow } from '../shape/shape.ts'
import { actionOperation, withGivenId } from './action-operation.ts'
import type { ActionMutation, EachMutation, Values } from './definition.ts'
import { actionRefusal } from './hasura-refusal.ts'
import { keyOfPart } from './idempotency-key.ts'
import { recordFailure } from './mutation-audit.ts'
import { withNewCart } from '@commerce-graph/auth-webhook'
import { ask, defect, type Outcome } from './mutation-outcome.ts'
import type { PayloadField, PlannedCall, PlannedMutation } from './plan-mutation.ts'
import { writeRows } from './write-rows.ts'

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

/** The answer to a call that does not run, because texts in its arguments have the wrong form. */
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
  const { of, as, list, toArgs } = definition
  const items = call.args[list] as readonly Values[]
  const errors = call.rules.flatMap((rule) => (rule.name === list ? listErrors(rule, items) : []))
  if (errors.length > 0)
    return eachAnswer(call, key, [recorded(call, { kind: 'invalid', errors }, context)], [], context)
  const rules = call.scope.contract.inputRules.get(as) ?? []
  const outcomes: Outcome[] = []
  for (const [index, item] of items.entries())
    outcomes.push(await writeRows(of, { ...call, rules, args: toArgs(item) }, ofPart(context, index)))
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

/** Records a failed mutation. The transaction of a successful one has written its audit entry already. */
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
  { report, refused }: QueryContext,
): FieldAnswer {
  const shape = shapeContext(call.bound.pageSizes, [key])
  const faults = outcomes.flatMap((outcome) => (outcome.kind === 'invalid' ? outcome.errors : []))
  refused?.(call.field.name, faults)
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
    // A mutation that was refused for another reason was no guess.
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
  const holders = triesCoupon ? couponHolders(args, principal, endClient?.network) : []
  if (!endClient || holders.length === 0) return null
  return {
    begin: () => endClient.beginCoupon(holders),
    isWrong: ({ code }) => code === 'INVALID_COUPON',
    tooMany: tooManyCoupons,
  }
}

/** Who tries a coupon: the shopper and its network, or the cart or customer of a key. None: the input has no coupon, or names neither. */
function couponHolders(
  args: Values,
  principal: QueryContext['principal'],
  network: string | undefined,
): readonly string[] {
  const input = { ...args, ...(args['input'] as Values | undefined) }
  if (input['code'] == null && input['couponCode'] == null) return []
  // A visitor makes as many carts as it likes, and with each guest checkout or registration another customer.
  if (principal.kind === 'guest') return [`guest ${network ?? 'unknown'}`]
  if (principal.kind === 'customer')
    return [principal.customerId, ...(principal.network === null ? [] : [`guest ${principal.network}`])]
  const holder = input['cartId'] ?? input['customerId'] ?? input['id']
  return typeof holder === 'string' ? [holder] : []
}

async function callAction(
  definition: ActionMutation,
  call: PlannedCall,
  context: QueryContext,
): Promise<Outcome> {
  const operation = actionOperation(definition, call)
  const answer = await ask(operation, withCartToMake(call, context), call)
  if (answer.kind !== 'data') {
    const refusal = answer.kind === 'errors' && answer.errors[0] ? actionRefusal(answer.errors[0]) : null
    return refusal ? { kind: 'refused', error: refusal } : defect(operation, answer, context)
  }
  const result = (JSON.parse(answer.json) as { readonly result: Row }).result
  const errors = result['errors'] as readonly UserError[]
  if (errors.length > 0)
    return { kind: 'invalid', errors: errors.map((error) => withGivenId(error, call.args)) }
  const row = definition.record && (result[definition.record.relationship] as Row | null)
  return { kind: 'done', row, result, refusal: paymentRefusal(result), replayed: result['replayed'] === true }
}

/** A guest sees the cart that it makes, though its request can't have the secret yet. */
function withCartToMake({ field }: PlannedCall, context: QueryContext): QueryContext {
  const { principal } = context
  return field.name === 'createCart' && principal.kind === 'guest'
    ? { ...context, principal: withNewCart(principal) }
    : context
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

interface FieldAnswer {
  readonly payload: Row | null
  readonly errors: readonly CatalogueError[]
  readonly shortened: readonly ShortenedList[]
  readonly replayed: boolean
}

function answerOf(
  call: PlannedCall,
  key: string,
  outcome: Outcome,
  { report, refused }: QueryContext,
): FieldAnswer {
  if (outcome.kind === 'refused')
    return { payload: null, errors: [withPath(outcome.error, [key])], shortened: [], replayed: false }
  if (outcome.kind === 'invalid') refused?.(call.field.name, outcome.errors)
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
