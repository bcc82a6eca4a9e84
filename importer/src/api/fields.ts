import { z } from 'zod'
import { isRetryable, type ApiError, type CommerceApi } from './commerce-api.ts'

/** A field of the root, to be sent together with others. */
export interface Field {
  readonly name: string
  readonly arguments: Readonly<Record<string, { readonly type: string; readonly value: unknown }>>
  /** What is selected of it, without the braces. */
  readonly selection: string
  /** Running it twice makes two. */
  readonly creates?: true
}

export type FieldResult =
  | { readonly kind: 'data'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: ApiError; readonly retryable: boolean }

// The gateway runs at most 20 fields per document and reads at most a megabyte.
const maxFields = 20
const maxBytes = 700_000

/**
 * Runs many fields in few requests: each under an alias, with its own variables, as many per document as the API
 * takes. Mutations run in their order. A field that fails leaves the others as they are.
 *
 * @returns the results, in the order of the fields
 */
export async function runFields(
  api: CommerceApi,
  operation: 'query' | 'mutation',
  fields: readonly Field[],
): Promise<FieldResult[]> {
  const results: FieldResult[] = []
  for (const chunk of chunksOf(fields)) {
    const { query, variables } = documentOf(operation, chunk)
    const { data, errors } = await api.send(query, variables, {
      repeatable: !chunk.some(({ creates }) => creates),
    })
    for (const index of chunk.keys()) results.push(resultOf(`f${index}`, data, errors))
  }
  return results
}

function documentOf(operation: 'query' | 'mutation', fields: readonly Field[]) {
  const variables: Record<string, unknown> = {}
  const declarations: string[] = []
  const selections = fields.map((field, index) => {
    const args = Object.entries(field.arguments).map(([name, { type, value }]) => {
      const variable = `${name}${index}`
      variables[variable] = value
      declarations.push(`$${variable}: ${type}`)
      return `${name}: $${variable}`
    })
    return `  f${index}: ${field.name}(${args.join(', ')}) { ${field.selection} }`
  })
  return { query: `${operation}(${declarations.join(', ')}) {\n${selections.join('\n')}\n}`, variables }
}

function* chunksOf(fields: readonly Field[]): Generator<Field[]> {
  let chunk: Field[] = []
  let bytes = 0
  for (const field of fields) {
    const size = Buffer.byteLength(JSON.stringify(field))
    if (chunk.length === maxFields || (chunk.length > 0 && bytes + size > maxBytes)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(field)
    bytes += size
  }
  if (chunk.length > 0) yield chunk
}

function resultOf(
  alias: string,
  data: Readonly<Record<string, unknown>>,
  errors: readonly ApiError[],
): FieldResult {
  const error = errors.find(({ path }) => path[0] === alias)
  if (error !== undefined) return { kind: 'failed', error, retryable: isRetryable(error) }
  return { kind: 'data', value: data[alias] ?? null }
}

const payload = z.looseObject({
  errors: z.array(z.object({ field: z.string().nullish(), message: z.string(), code: z.string().nullish() })),
})

export type UserError = z.infer<typeof payload>['errors'][number]

/** The `UserError`s of a mutation's payload; empty when it succeeded. */
export const userErrorsOf = (value: unknown): readonly UserError[] => payload.parse(value).errors
