import { ImportStopped, Unavailable } from './api/api-error.ts'
import { settle, type Outcome, type Settled } from './api/attempts.ts'
import { CommerceApi } from './api/commerce-api.ts'
import { defaultRetryPolicy, type RetryPolicy } from './api/retry-policy.ts'
import { CategoryTree } from './domains/category-tree.ts'
import { importCustomers } from './domains/import-customers.ts'
import { importProducts } from './domains/import-products.ts'
import type { OnExisting, Starts } from './domains/task.ts'
import { Warehouses } from './domains/warehouses.ts'
import { ViewerDocument } from './generated/operations.ts'
import { ImportState } from './import-state.ts'
import type { CustomerRow } from './input/customer-row.ts'
import type { ProductRow } from './input/product-row.ts'
import type { Row } from './input/row.ts'
import type { Source } from './input/source.ts'

export interface SourcedRow {
  readonly source: Source
  readonly row: Row
}

export interface SessionOptions {
  readonly onExisting: OnExisting
  readonly statePath: string
  /** Signalled to stop cleanly: running batches finish, and no new one begins. */
  readonly stopping: AbortSignal
  readonly retryPolicy?: RetryPolicy
}

/** The target shop, and the state of the import. */
export class Session {
  readonly state: ImportState
  readonly #api: CommerceApi
  readonly #options: SessionOptions
  readonly #categories: CategoryTree
  readonly #warehouses: Warehouses

  private constructor(api: CommerceApi, state: ImportState, options: SessionOptions) {
    this.state = state
    this.#api = api
    this.#options = options
    this.#categories = new CategoryTree(api)
    this.#warehouses = new Warehouses(api)
  }

  /** @throws ImportStopped when the API can't be reached or refuses the key */
  static async open(options: SessionOptions, target: { url: string; key: string }): Promise<Session> {
    const retryPolicy = options.retryPolicy ?? defaultRetryPolicy
    const api = new CommerceApi({ ...target, retryPolicy, stopping: options.stopping })
    try {
      // Not repeated: a wrong address should be reported at once.
      const { data, errors } = await api.send(ViewerDocument, {}, { repeatable: false })
      if (errors[0] !== undefined) throw new ImportStopped(`${target.url}: ${errors[0].message}`)
      const state = await ImportState.open(options.statePath, `${target.url} ${data.viewer.merchant.id}`)
      return new Session(api, state, options)
    } catch (error) {
      if (error instanceof Unavailable) throw new ImportStopped(error.message, { cause: error })
      throw error
    }
  }

  /** Imports a batch of one kind. */
  async settle(batch: readonly SourcedRow[]): Promise<Map<Row, Settled>> {
    const rows = batch.map(({ row }) => row)
    const policy = this.#options.retryPolicy ?? defaultRetryPolicy
    return settle(rows, (pending) => this.#attempt(batch, pending), policy, this.#options.stopping)
  }

  #attempt(batch: readonly SourcedRow[], rows: readonly Row[]): Promise<Outcome[]> {
    const { onExisting } = this.#options
    const products = rows.flatMap((row) => (row.kind === 'product' ? [row.value] : []))
    if (products.length > 0) {
      const context = {
        api: this.#api,
        categories: this.#categories,
        warehouses: this.#warehouses,
        onExisting,
      }
      return importProducts({ ...context, starts: this.#starts<ProductRow>(batch) }, products)
    }
    const customers = rows.flatMap((row) => (row.kind === 'customer' ? [row.value] : []))
    return importCustomers(
      { api: this.#api, onExisting, starts: this.#starts<CustomerRow>(batch) },
      customers,
    )
  }

  #starts<T>(batch: readonly SourcedRow[]): Starts<T> {
    const byValue = new Map(batch.map((sourced) => [sourced.row.value as unknown, sourced]))
    const find = (value: T) => {
      const sourced = byValue.get(value)
      if (sourced === undefined) throw new Error('a row of another batch')
      return { source: sourced.source, row: sourced.row.location.index }
    }
    return {
      wasStarted: (value) => {
        const { source, row } = find(value)
        return this.state.wasStarted(source, row)
      },
      start: (values) =>
        this.state.record(values.map((value) => ({ ...find(value), event: 'started' as const }))),
    }
  }
}
