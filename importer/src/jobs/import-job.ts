import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ImportStopped } from '../api/api-error.ts'
import { CommerceApi } from '../api/commerce-api.ts'
import { defaultRetryPolicy } from '../api/retry-policy.ts'
import { sleep } from '../api/sleep.ts'
import {
  CancelImportDocument,
  CreateImportDocument,
  ImportDocument,
  ImportErrorsDocument,
  type ImportErrorsQuery,
  type ImportQuery,
  StartImportDocument,
} from '../generated/operations.ts'

export interface JobOptions {
  readonly target: { readonly url: string; readonly key: string }
  /** JSON Lines or CSV of the platform's own rows. */
  readonly file: string
  readonly format: 'JSON_LINES' | 'CSV'
  readonly recordType: 'PRODUCT' | 'CUSTOMER' | 'CATEGORY' | 'PROMOTION' | 'REVIEW' | 'ORDER' | null
  readonly fileName: string
  readonly dryRun: boolean
  readonly update: boolean
  /** Cancels the import. */
  readonly stopping: AbortSignal
  onProgress(state: JobState): void
}

export type JobState = NonNullable<ImportQuery['import']>
export type JobError = NonNullable<ImportErrorsQuery['import']>['errors']['nodes'][number]

/**
 * Milliseconds between two looks at an import. Each one counts on the merchant's rate, which the storefront needs, too: the pauses grow,
 * so that an hour takes about 250 of them.
 */
const pauses = { first: 500, growth: 1.5, longest: 15_000 }

const neverStopping = new AbortController().signal

const ended: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED'])

/** An import as a job of the platform. */
export class ImportJob {
  /** Goes on after Ctrl-C, to cancel the import. */
  readonly #api: CommerceApi
  /** Follows an import, which goes on whether the merchant has requests left or not. */
  readonly #following: CommerceApi
  readonly #options: JobOptions

  constructor(options: JobOptions) {
    const { target, stopping } = options
    const retryPolicy = defaultRetryPolicy
    this.#options = options
    this.#api = new CommerceApi({ ...target, retryPolicy, stopping: neverStopping })
    this.#following = new CommerceApi({ ...target, retryPolicy, stopping, patient: true })
  }

  /**
   * Uploads the file, and waits for the import's end.
   *
   * @throws ImportStopped if the platform refuses the import or can't be reached
   */
  async run(): Promise<JobState> {
    const { file, format, recordType, fileName, dryRun, update } = this.#options
    const { size: fileSize } = await stat(file)
    const created = await this.#api.send(
      CreateImportDocument,
      { input: { format, recordType, fileName, fileSize, dryRun, onExisting: update ? 'UPDATE' : 'SKIP' } },
      { repeatable: false },
    )
    const {
      import: job,
      upload,
      errors,
    } = this.#dataOf(created).createImport ?? { import: null, upload: null, errors: [] }
    if (job == null || upload == null)
      throw new ImportStopped(errors.map(({ message }) => message).join('; '))
    await this.#upload(upload)
    const started = this.#dataOf(
      await this.#api.send(StartImportDocument, { id: job.id }, { repeatable: false }),
    ).startImport
    if (started == null || started.errors.length > 0)
      throw new ImportStopped(
        started?.errors.map(({ message }) => message).join('; ') ?? 'The import did not start',
      )
    return this.#end(job.id)
  }

  /** Why rows are refused, in the order of their lines. */
  async *errors(id: string): AsyncGenerator<JobError> {
    let after: string | null = null
    do {
      const answer: { data: ImportErrorsQuery; errors: readonly { message: string }[] } =
        await this.#reading.send(ImportErrorsDocument, { id, after }, { repeatable: true })
      const page = this.#dataOf(answer).import?.errors
      if (page === undefined) return
      yield* page.nodes
      after = page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null
    } while (after !== null)
  }

  async #upload({
    url,
    headers,
  }: {
    readonly url: unknown
    readonly headers: readonly { readonly name: string; readonly value: string }[]
  }): Promise<void> {
    const body = await openAsBlob(this.#options.file)
    const response = await fetch(String(url), {
      method: 'PUT',
      headers: headers.map(({ name, value }): [string, string] => [name, value]),
      body,
    }).catch((error: unknown) => {
      throw new ImportStopped(`The upload to ${new URL(String(url)).origin} failed`, { cause: error })
    })
    if (!response.ok)
      throw new ImportStopped(
        `The upload was refused: ${response.status} ${(await response.text()).slice(0, 500)}`,
      )
  }

  get #reading(): CommerceApi {
    return this.#options.stopping.aborted ? this.#api : this.#following
  }

  async #end(id: string): Promise<JobState> {
    const { stopping } = this.#options
    try {
      return await this.#follow(id, stopping)
    } catch (error) {
      if (!stopping.aborted || !(error instanceof ImportStopped)) throw error
    }
    await this.#api.send(CancelImportDocument, { id }, { repeatable: true })
    return this.#follow(id, neverStopping)
  }

  async #follow(id: string, stopping: AbortSignal): Promise<JobState> {
    for (let pause = pauses.first; ; pause = Math.min(pause * pauses.growth, pauses.longest)) {
      const state = this.#dataOf(
        await this.#reading.send(ImportDocument, { id }, { repeatable: true }),
      ).import
      if (state == null) throw new ImportStopped('The import is gone')
      this.#options.onProgress(state)
      if (ended.has(state.status)) return state
      await sleep(pause, stopping)
    }
  }

  #dataOf<Data>({
    data,
    errors,
  }: {
    readonly data: Data
    readonly errors: readonly { readonly message: string }[]
  }): Data {
    if (errors[0] !== undefined) throw new ImportStopped(errors[0].message)
    return data
  }
}
