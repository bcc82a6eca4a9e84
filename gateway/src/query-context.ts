import { actorOf, rateHolderOf } from '@commerce-graph/auth-webhook'
import { networkOf } from '@commerce-graph/http-server'
import { traceHeaders } from '@commerce-graph/telemetry'
import type { CheckedOperation } from './document/documents.ts'
import type { EndpointParts } from './endpoint-parts.ts'
import type { Incoming } from './http/server.ts'
import { idempotencyKeyOf } from './mutation/idempotency-key.ts'
import type { QueryContext } from './query/execute-query.ts'
import type { Caller } from './record-refusal.ts'
import type { RequestRecord } from './request-record.ts'

interface AskedOperation {
  readonly operation: CheckedOperation
  readonly record: RequestRecord
  /** Whether a standby of the database may answer. */
  readonly mayLag: boolean
  /** Whether answers are kept, as long as they are valid. */
  readonly wantsValidity: boolean
}

/** What an operation of the caller runs with. */
export function queryContext(
  {
    authenticator,
    rateLimits: { guesses, couponGuesses },
    dataLayer,
    limits: { answerBytes },
    logger,
  }: EndpointParts,
  {
    principal,
    clientAddress,
    client,
    device,
  }: Caller & { readonly client: string | undefined; readonly device: string | undefined },
  incoming: Incoming,
  { operation: { prepared }, record, mayLag, wantsValidity }: AskedOperation,
): QueryContext {
  const { request, requestId, signal } = incoming
  const { merchantId } = rateHolderOf(principal, clientAddress)
  const keyed = idempotencyKeyOf(request.headers)
  const idempotencyKey = keyed.kind === 'key' ? keyed.key : undefined
  return {
    dataLayer,
    principal,
    signal,
    wantsValidity,
    headers: {
      'x-request-id': requestId,
      ...traceHeaders(),
      ...(mayLag && { 'x-read-replica': 'allowed' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey.value }),
    },
    idempotencyKey,
    usedKeys: authenticator.usedKeys,
    answerBytes,
    refused: (field, errors) => record.refused(field, errors),
    endClient: {
      network: networkOf(client),
      device,
      beginGuess: () => guesses.begin({ merchantId, client }),
      beginCoupon: (holders) => couponGuesses.begin(holders.map((holder) => `${merchantId} ${holder}`)),
    },
    audit: {
      trail: authenticator.audit,
      clientAddress,
      requestId,
      source: 'CONTRACT',
      operationName: prepared.operation.name?.value ?? null,
    },
    report: (defect) => logger.error({ requestId, actor: actorOf(principal), defect }, 'an operation failed'),
  }
}
