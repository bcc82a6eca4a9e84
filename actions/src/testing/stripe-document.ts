import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Exchange } from './recording-proxy.ts'

/** Stripe's published OpenAPI document, of which the repository has no copy. */
export interface StripeDocument {
  /** The differences of a request or its answer from the document. */
  faultsOf(exchange: Exchange): readonly string[]
  /** The same of an object that an event has. */
  faultsOfObject(name: string, object: unknown): readonly string[]
}

interface Schema {
  readonly type?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Reads the document (openapi/spec3.json of Stripe's repository stripe/openapi). */
export function readStripeDocument(file: string): StripeDocument {
  // zod's reader knows references to `definitions`.
  const text = readFileSync(file, 'utf8').replaceAll('#/components/schemas/', '#/definitions/')
  const { paths, components } = closed(JSON.parse(text)) as OpenApi
  const read = (schema: Schema): z.ZodType =>
    z.fromJSONSchema({ ...schema, definitions: components.schemas } as unknown as z.core.JSONSchema.Schema, {
      defaultTarget: 'openapi-3.0',
    })
  const readers = new Map<Schema, z.ZodType>()
  const check = (what: string, schema: Schema, value: unknown): readonly string[] => {
    const reader = readers.get(schema) ?? read(schema)
    readers.set(schema, reader)
    const { error } = reader.safeParse(value)
    return error === undefined ? [] : issuesOf(error.issues).map((issue) => `${what}: ${issue}`)
  }
  return {
    faultsOf({ method, path, parameters, status, answer }) {
      const what = `${method} ${path.replace(/_\w{8,}/, '_…')}`
      const operation = operationOf(paths, method, path)
      if (operation === undefined) return [`${what} is no operation`]
      const { schema: answerSchema } = jsonOf(
        operation.responses[String(status)] ?? operation.responses['default'],
      )
      const requestSchema = requestOf(operation)
      return [
        ...check(`request ${what}`, requestSchema, typed(nested(parameters), requestSchema)),
        ...check(`answer ${status} to ${what}`, answerSchema, answer),
      ]
    },
    faultsOfObject: (name, object) => check(name, components.schemas[name] ?? {}, object),
  }
}

/** With no fields but those that the document names: a field that we invented is a fault. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  const isOpen =
    'properties' in copy && 'type' in copy && copy['type'] === 'object' && !('additionalProperties' in copy)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

/** A path's own name goes before a parameter: `/search` before `/{id}`. */
function operationOf(paths: OpenApi['paths'], method: string, path: string): Operation | undefined {
  const matches = Object.keys(paths).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  const [best] = matches.sort((a, b) => a.split('{').length - b.split('{').length)
  return best === undefined ? undefined : paths[best]?.[method.toLowerCase()]
}

const jsonOf = (response: Operation['responses'][string] | undefined): { readonly schema: Schema } =>
  response?.content['application/json'] ?? { schema: {} }

const closedRequests = new WeakMap<Operation, Schema>()

/** The query's or the form's parameters as one object. */
function requestOf(operation: Operation): Schema {
  const known = closedRequests.get(operation)
  if (known !== undefined) return known
  const form = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
      ...form?.properties,
    },
    required: [
      ...query.filter(({ required }) => required === true).map(({ name }) => name),
      ...((form as { required?: string[] } | undefined)?.required ?? []),
    ],
  }
  closedRequests.set(operation, schema)
  return schema
}

interface Form {
  [name: string]: string | Form
}

/** `a[b]=1` is `{a: {b: 1}}`. */
function nested(parameters: URLSearchParams): Form {
  const form: Form = {}
  for (const [name, value] of parameters) {
    const keys = name.split(/[[\]]+/).filter((key) => key !== '')
    const last = keys.pop() ?? name
    let place = form
    for (const key of keys) {
      const inner = place[key]
      place = typeof inner === 'object' ? inner : (place[key] = {})
    }
    place[last] = value
  }
  return form
}

/** Forms carry text: a number is one if the document has a number there, and `a[0]` is an array's element. */
function typed(value: string | Form, schema: Schema | undefined): unknown {
  const alternatives = [schema, ...(schema?.anyOf ?? [])].filter((one) => one !== undefined)
  if (typeof value === 'string') {
    const types = alternatives.map(({ type }) => type)
    if (types.includes('integer') && /^-?\d+$/.test(value)) return Number(value)
    if (types.includes('boolean') && /^(true|false)$/.test(value)) return value === 'true'
    return value
  }
  const items = alternatives.find(({ type }) => type === 'array')?.items
  const entries = Object.entries(value)
  if (items !== undefined && entries.every(([key]) => /^\d+$/.test(key)))
    return entries.map(([, element]) => typed(element, items))
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const owner = alternatives.find(({ properties }) => properties?.[key] !== undefined)
      const more = alternatives.find(({ additionalProperties: of }) => typeof of === 'object')
      return [
        key,
        typed(inner, owner?.properties?.[key] ?? (more?.additionalProperties as Schema | undefined)),
      ]
    }),
  )
}

/** Of alternatives, the issues of the one that the value comes nearest to. */
const issuesOf = (
  issues: readonly z.core.$ZodIssue[],
  path: readonly PropertyKey[] = [],
): readonly string[] =>
  issues.flatMap((issue) => {
    const place = [...path, ...issue.path]
    if (issue.code === 'invalid_union') {
      const nearest = issue.errors
        .map((errors) => issuesOf(errors, place))
        .sort((a, b) => Math.max(...b.map((text) => text.length)) - Math.max(...a.map((text) => text.length)))
      const [first] = issue.errors.filter(
        (errors) => !errors.some(({ code, path: at }) => code === 'invalid_type' && at.length === 0),
      )
      return first === undefined ? (nearest[0] ?? []) : issuesOf(first, place)
    }
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.join() : issue.message
    return [`${place.map(String).join('.') || 'the whole'}: ${issue.code} ${keys}`]
  })
