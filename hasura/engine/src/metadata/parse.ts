import { z } from 'zod'
import { isRawNumber, type RawNumber } from '../exact-json.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = Readonly<Record<string, Json>>

/** Requests share the metadata, so it must never be written to; zod infers mutable types. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

export const json: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.null(),
    z.boolean(),
    z.number(),
    // A value of a row that JavaScript would round. It is an object, but no record.
    z.custom<RawNumber>(isRawNumber),
    z.string(),
    z.array(json),
    z.record(z.string(), json),
  ]),
)

/** A JSON object whose content is not checked here: a boolean expression, presets, a payload. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json)

const dropNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value

/**
 * An object of the metadata. Unknown keys are errors with their path (`parseKnownKeys` leaves them out). Null means an
 * absent key, because Hasura reads optional keys that way and its console writes `comment: null`.
 */
export const record = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(dropNulls, z.strictObject(shape))

/** Hasura's NonEmptyText. */
export const nonEmptyText = z.string().min(1, { error: 'empty string not allowed' })

/** A name in a GraphQL schema. */
export const graphqlName = z.string().regex(/^[_A-Za-z][_0-9A-Za-z]*$/, {
  error: (issue) => `${String(issue.input)} is not a valid GraphQL name`,
})
