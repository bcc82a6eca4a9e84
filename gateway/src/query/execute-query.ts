import type { Validity } from '@commerce-graph/answer-cache'
import type { Principal, UsedKeys } from '@commerce-graph/auth-webhook'
import type { DataLayer, DataLayerResult } from '@commerce-graph/data-layer'
import type { Attempt } from '@commerce-graph/rate-limits'
import { type CatalogueError, unexpectedError, withPath, withStatus } from '@commerce-graph/contract/errors'
import type { UserError } from '@commerce-graph/contract/input'
import { answerTooLarge } from '../limits/answer-size.ts'
import { bind, type Bound, type Request } from '../plan/binding.ts'
import type { QueryPlan, RootField } from '../plan/plan-query.ts'
import type { IdempotencyKey } from '../mutation/idempotency-key.ts'
import type { AuditedRequest } from '../mutation/mutation-audit.ts'
import {
  completeField,
  refuse,
  type Row,
  shapeContext,
  type ShortenedList,
  type Violation,
  newRow,
} from '../shape/shape.ts'

export type QueryResult =
  /** Nothing was run. */
  | { readonly kind: 'refused'; readonly errors: readonly CatalogueError[] }
  /** Ready for JSON.stringify, which leaves out the keys that are undefined. */
  | {
      readonly kind: 'data'
      readonly data: Row | null
      readonly errors: readonly CatalogueError[]
      readonly shortened: readonly ShortenedList[]
      /** Whether a mutation among it was carried out by an earlier request with its Idempotency-Key. */
      readonly replayed?: boolean
      /** Places of refused fields that are not among the errors, which name each field once. */
      readonly omitted?: number
      /** Says whether the data is still right; absent where that can't be known. */
      readonly validity?: Validity
    }

/** A fault of the platform, for the log; the client gets SVC_SRV_001. */
export type Defect =
  | {
      readonly kind: 'engine'
      readonly document: string
      readonly answer: Exclude<DataLayerResult, { kind: 'data' }>
    }
  | { readonly kind: 'null'; readonly violations: readonly Violation[] }

export interface QueryContext {
  readonly dataLayer: DataLayer
  readonly principal: Principal
  readonly report: (defect: Defect) => void
  /** Aborts the engine's work; `executeQuery` then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Whether the caller keeps answers, as long as they are valid. */
  readonly wantsValidity?: boolean
  /** Headers that Hasura passes on, such as `x-request-id`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The client's name for its mutation. */
  readonly idempotencyKey?: IdempotencyKey | undefined
  /** Where it is found out whether the key was used; absent where there are no keys. */
  readonly usedKeys?: Pick<UsedKeys, 'find'>
  /** Characters that the data layer may answer with; absent where nothing bounds them. */
  readonly answerBytes?: number
  /** The client of the person who acts; absent where nothing is known of it, and nothing counted. */
  readonly endClient?: EndClientContext
  /** Told of the user errors in a mutation's payload; absent where nothing is measured. */
  readonly refused?: (field: string, errors: readonly UserError[]) => void
  /** The facts of the request for the audit log of mutations; absent where none is kept. */
  readonly audit?: AuditedRequest
}

interface EndClientContext {
  /** Its address, or its network where a host has a whole one; undefined where a shop's server doesn't tell. */
  readonly network: string | undefined
  /** The client's name for its device; undefined if unknown. */
  readonly device: string | undefined
  /** Begins to try a password or code. */
  readonly beginGuess: () => Promise<Attempt>
  /** Begins to try a coupon. @param holders the shopper and its network, or the cart or customer that it is for */
  readonly beginCoupon: (holders: readonly string[]) => Promise<Attempt>
}

/** Runs a planned query: at most one operation of the data layer, whatever the query selects. */
export async function executeQuery(
  plan: QueryPlan,
  variables: Readonly<Record<string, unknown>>,
  context: QueryContext,
): Promise<QueryResult> {
  const { principal } = context
  if (plan.refusals.length > 0) return { kind: 'refused', errors: plan.refusals }
  const request: Request = { variables, principal }
  const bound = bind(plan, request)
  if (bound.errors.length > 0) return { kind: 'refused', errors: bound.errors }
  if (plan.document === undefined) return answer(plan.root, {}, request, bound, context)
  const result = await ask(plan.document, bound.variables, context)
  if (result.kind === 'data' && result.json.length > (context.answerBytes ?? Infinity))
    return { kind: 'refused', errors: [answerTooLarge(result.json.length, context.answerBytes ?? 0)] }
  if (result.kind === 'data') {
    const answered = answer(plan.root, JSON.parse(result.json) as Row, request, bound, context)
    return { ...answered, ...(result.validity && { validity: result.validity }) }
  }
  context.report({ kind: 'engine', document: plan.document, answer: result })
  const error = result.kind === 'unavailable' ? withStatus(unexpectedError(), 503) : unexpectedError()
  return { kind: 'data', data: null, errors: [error], shortened: [] }
}

export function ask(
  query: string,
  variables: Bound['variables'],
  context: QueryContext,
): Promise<DataLayerResult> {
  const { dataLayer, principal, signal, headers, wantsValidity } = context
  return dataLayer.execute({ query, variables }, principal.sessionVariables, {
    ...(signal && { signal }),
    ...(headers && { headers }),
    ...(wantsValidity && { wantsValidity }),
  })
}

function answer(
  root: readonly RootField[],
  row: Row,
  request: Request,
  { pageSizes }: Bound,
  { report }: QueryContext,
): QueryResult {
  const context = shapeContext(pageSizes)
  const data = newRow()
  let whole = true
  for (const field of root) {
    if (field.kind === 'local') data[field.key] = field.read(request)
    else if (field.kind === 'refused') {
      context.path.push(field.key)
      data[field.key] = refuse(field.error, context)
      context.path.pop()
    } else if (field.kind === 'entities') {
      context.path.push(field.key)
      data[field.key] = field.read(row, request, context)
      context.path.pop()
    } else {
      if (field.shape && !completeField(row, field.shape, context)) whole = false
      data[field.key] = row[field.key] ?? null
    }
  }
  const { violations, shortened, refusals } = context
  if (violations.length > 0) report({ kind: 'null', violations })
  return {
    kind: 'data',
    data: whole ? data : null,
    errors: [...refusals.listed, ...violations.map(({ path }) => withPath(unexpectedError(), path))],
    shortened,
    ...(refusals.omitted > 0 && { omitted: refusals.omitted }),
  }
}
