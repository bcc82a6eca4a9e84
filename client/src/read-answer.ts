import type { Answer } from './http-attempt.ts'
import { localError, refusal, type RequestError, type UserError } from './request-error.ts'
import type { Result } from './result.ts'

/** The data of a mutation that was executed: its payloads are there. */
export type Executed<Data> = {
  readonly [Field in keyof Data]: NonNullable<Data[Field]>
}

export const queryResult = <Data>(answer: Answer): Result<Data> => resultOf(answer, answer.errors)

/** Throws an Error if a payload doesn't select its errors: a mistake of the program. */
export const mutationResult = <Data>(answer: Answer): Result<Executed<Data>> =>
  resultOf(answer, [...answer.errors, ...refusalsOf(answer)])

function resultOf<Data>(
  { data, requestId }: Answer,
  [error, ...others]: readonly RequestError[],
): Result<Data> {
  if (error !== undefined) return { ok: false, error, errors: [error, ...others], data }
  // The contract determines the answer's type, so data has the type that was generated for its document.
  return { ok: true, data: data as Data, requestId }
}

const refusalsOf = (answer: Answer): readonly RequestError[] =>
  Object.entries(answer.data ?? {}).flatMap(([field, payload]) =>
    field === '__typename' ? [] : refusalsOfPayload(field, payload, answer),
  )

function refusalsOfPayload(
  field: string,
  payload: unknown,
  { errors, requestId }: Answer,
): readonly RequestError[] {
  if (payload === null)
    return errors.length > 0 ? [] : [localError('internal', `${field} has no payload`, { requestId })]
  const { errors: userErrors } = payload as { readonly errors?: readonly UserError[] }
  if (userErrors === undefined) throw new Error(`Select ${field} { errors { field message code } }`)
  const [first, ...others] = userErrors
  return first === undefined ? [] : [refusal(field, [first, ...others], requestId)]
}
