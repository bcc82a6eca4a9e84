import { setTimeout as sleep } from 'node:timers/promises'
import type { DataLayerResult } from '@commerce-graph/data-layer'
import { type CatalogueError, unexpectedError, withPath, withStatus } from '@commerce-graph/contract/errors'
import { answerTooLarge } from '../limits/answer-size.ts'
import { bind, type Bound, type Request } from '../plan/binding.ts'
import { streamedRows, type SubscriptionPlan } from '../plan/plan-subscription.ts'
import { ask, type QueryContext } from '../query/execute-query.ts'
import { completeField, type FieldShape, type Row, shapeContext, type ShortenedList } from '../shape/shape.ts'

export type SubscriptionContext = QueryContext & { readonly signal: AbortSignal }

/** One answer of a subscription. */
export interface SubscriptionAnswer {
  readonly data: Row | null
  readonly errors: readonly CatalogueError[]
  readonly shortened: readonly ShortenedList[]
  /** Places of refused fields that are not among the errors, which name each field once. */
  readonly omitted?: number
}

/** Pauses before the engine is asked again: 1/4 s, 1/2 s, … 8 s. A client that waits for longer gets an error. */
const retryDelays = [250, 500, 1_000, 2_000, 4_000, 8_000] as const

/** Checks everything that is known before the engine is asked: permissions and values. */
export function bindSubscription(
  plan: SubscriptionPlan,
  request: Request,
): { readonly bound: Bound } | { readonly errors: readonly CatalogueError[] } {
  if (plan.refusals.length > 0) return { errors: plan.refusals }
  const bound = bind(plan, request)
  return bound.errors.length > 0 ? { errors: bound.errors } : { bound }
}

/**
 * The answers of a subscription, until the signal aborts. When the engine goes away it is asked again for a while: a
 * live query then answers with the state of then, a stream with what came after the last row that was sent.
 */
export async function* runSubscription(
  plan: SubscriptionPlan,
  request: Request,
  { variables: boundVariables, pageSizes }: Bound,
  context: SubscriptionContext,
  delays: readonly number[] = retryDelays,
): AsyncGenerator<SubscriptionAnswer, void, undefined> {
  const { signal, report } = context
  const variables = { ...boundVariables }
  let failures = 0
  while (!signal.aborted) {
    for await (const result of resultsOf(plan, request, variables, context)) {
      if (result.kind === 'data' && result.json.length > (context.answerBytes ?? Infinity)) {
        const error = answerTooLarge(result.json.length, context.answerBytes ?? 0)
        yield { data: null, errors: [error], shortened: [] }
        return
      }
      if (result.kind === 'data') {
        failures = 0
        yield* answersOf(plan, JSON.parse(result.json) as Row, variables, pageSizes, context)
        continue
      }
      const delay = result.kind === 'unavailable' ? delays[failures] : undefined
      if (delay === undefined) {
        report({ kind: 'engine', document: plan.document, answer: result })
        const error = result.kind === 'unavailable' ? withStatus(unexpectedError(), 503) : unexpectedError()
        yield { data: null, errors: [error], shortened: [] }
        return
      }
      failures += 1
      await sleep(delay, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** The data layer's answers. A stream without a beginning starts with the rows from now on. */
async function* resultsOf(
  { source, document }: SubscriptionPlan,
  request: Request,
  variables: Record<string, unknown>,
  context: SubscriptionContext,
): AsyncGenerator<DataLayerResult, void, undefined> {
  const { dataLayer, principal, signal } = context
  if (source.kind === 'stream' && variables[source.variable] === undefined) {
    const beginning = await beginningOf(source, request, context)
    if (beginning.kind === 'failed') {
      yield beginning.result
      return
    }
    variables[source.variable] = beginning.value
  }
  yield* dataLayer.subscribe({ query: document, variables }, principal.sessionVariables, { signal })
}

type StreamSource = Extract<SubscriptionPlan['source'], { kind: 'stream' }>

async function beginningOf(
  source: StreamSource,
  request: Request,
  context: SubscriptionContext,
): Promise<
  | { readonly kind: 'data'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly result: Exclude<DataLayerResult, { kind: 'data' }> }
> {
  const given = source.after(request)
  if (given != null) return { kind: 'data', value: given }
  const result = await ask(source.latest, {}, context)
  if (result.kind !== 'data') return { kind: 'failed', result }
  const [last] = streamedRows(JSON.parse(result.json) as Row, source)
  return { kind: 'data', value: last?.place ?? '' }
}

function* answersOf(
  { key, source }: SubscriptionPlan,
  answer: Row,
  variables: Record<string, unknown>,
  pageSizes: readonly number[],
  context: SubscriptionContext,
): Generator<SubscriptionAnswer, void, undefined> {
  if (source.kind === 'live') {
    yield answerOf(answer, key, source.shape, pageSizes, context)
    return
  }
  for (const { row, place } of streamedRows(answer, source)) {
    yield answerOf({ [key]: row }, key, source.shape, pageSizes, context)
    // Only now: a client that takes no more answers has not got this row.
    variables[source.variable] = place
  }
}

function answerOf(
  row: Row,
  key: string,
  shape: FieldShape | undefined,
  pageSizes: readonly number[],
  { report }: SubscriptionContext,
): SubscriptionAnswer {
  const context = shapeContext(pageSizes)
  const whole = shape === undefined || completeField(row, shape, context)
  const { violations, shortened, refusals } = context
  if (violations.length > 0) report({ kind: 'null', violations })
  return {
    data: whole ? { [key]: row[key] ?? null } : null,
    errors: [...refusals.listed, ...violations.map(({ path }) => withPath(unexpectedError(), path))],
    shortened,
    ...(refusals.omitted > 0 && { omitted: refusals.omitted }),
  }
}
