import type { CatalogueError } from '@commerce-graph/contract/errors'
import type { UserError } from '@commerce-graph/contract/input'
import type { RequestOutcome, ServedRequest } from '@commerce-graph/telemetry'
import type { CheckedOperation } from './document/documents.ts'

/** What becomes known of a request on its way, for metrics and the log. */
export class RequestRecord {
  /** Set when the document is read. */
  operation: CheckedOperation | undefined
  /** Set when the caller is known; operators have none. */
  merchantId: string | undefined
  readonly #requestId: string
  readonly #started = performance.now()
  #errors: readonly CatalogueError[] = []
  readonly #userErrors: { readonly field: string; readonly code: string }[] = []

  constructor(requestId: string) {
    this.#requestId = requestId
  }

  /** The errors of the answer. */
  answered(errors: readonly CatalogueError[]): void {
    this.#errors = errors
  }

  /** A mutation's payload has these user errors. */
  refused(field: string, errors: readonly UserError[]): void {
    for (const { code } of errors) this.#userErrors.push({ field, code })
  }

  /** @param gone the client left, so there is no answer */
  ended(gone: boolean): ServedRequest {
    const errors = this.#errors
    const outcome = gone ? 'gone' : outcomeOf(errors)
    const invalid = new Set(this.#userErrors.map(({ field }) => field))
    return {
      requestId: this.#requestId,
      kind: this.operation?.kind ?? 'unread',
      operationName: this.operation?.prepared.operation.name?.value ?? null,
      fields: (this.operation?.rootFields ?? []).map(({ name, key }) => ({
        name,
        outcome: gone ? 'gone' : fieldOutcome(key, errors, invalid.has(name)),
      })),
      outcome,
      errors: errors.map(({ id }) => id),
      userErrors: this.#userErrors,
      milliseconds: performance.now() - this.#started,
    }
  }
}

/** Errors without a path are the whole document's. */
function fieldOutcome(key: string, errors: readonly CatalogueError[], invalid: boolean): RequestOutcome {
  const own = errors.filter(({ path }) => path === undefined || path[0] === key)
  return own.length === 0 && invalid ? 'refused' : outcomeOf(own)
}

function outcomeOf(errors: readonly CatalogueError[]): RequestOutcome {
  if (errors.length === 0) return 'ok'
  return errors.some(({ status }) => status >= 500) ? 'failed' : 'refused'
}
