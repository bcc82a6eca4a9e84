import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Exchange } from './recording-proxy.ts'

/** PayPal's published OpenAPI documents, of which the repository has no copy. */
export interface PaypalDocuments {
  /** The differences of a request or its answer from the documents. */
  faultsOf(exchange: Exchange): readonly string[]
  /** The same of an event, with the resource that it has. */
  faultsOfEvent(event: { readonly resource_type: string; readonly resource: unknown }): readonly string[]
}

interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

type Schemas = Readonly<Record<string, Schema>>

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Schemas
    readonly parameters?: Readonly<Record<string, { readonly name: string; readonly in: string }>>
  }
}

const files = [
  'checkout_orders_v2',
  'payments_payment_v2',
  'notifications_webhooks_v1',
  'customer_disputes_v1',
]

/** @param folder `openapi` of PayPal's repository paypal/paypal-rest-api-specifications */
export function readPaypalDocuments(folder: string): PaypalDocuments {
  const documents = files.map(
    (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Document,
  )
  const texts = documents.map((document) => JSON.stringify(document))
  const checks = documents.map(({ components }) => checkerOf(components.schemas))
  return {
    faultsOf(exchange) {
      const { method, path, status, body, answer } = exchange
      const what = `${method} ${path.replaceAll(/[A-Z0-9]{17}/g, '…')}`
      const index = documents.findIndex(({ paths }) => operationOf(paths, method, path) !== undefined)
      const [document, check] = [documents[index], checks[index]]
      if (document === undefined || check === undefined) return [`${what} is no operation`]
      const operation = operationOf(document.paths, method, path)
      const request = schemaOf(operation?.requestBody)
      const expected = schemaOf(operation?.responses[String(status)] ?? operation?.responses['default'])
      return [
        ...(body === '' ? [] : check(`request ${what}`, request ?? {}, JSON.parse(body))),
        ...unknownParameters(document, operation, exchange).map((name) => `request ${what}: ${name}`),
        ...(expected === undefined ? [] : check(`answer ${status} to ${what}`, expected, answer)),
        ...(status < 400
          ? []
          : unknownIssues(answer, texts[index] ?? '').map((issue) => `${what}: ${issue}`)),
      ]
    },
    faultsOfEvent(event) {
      const [orders, payments, webhooks, disputes] = checks
      const { resource_type: type, resource } = event
      const of = {
        'checkout-order': 'order',
        capture: 'capture-2',
        authorization: 'authorization-2',
        refund: 'refund',
        dispute: 'dispute',
      }
      const check = { 'checkout-order': orders, dispute: disputes }[type] ?? payments
      const name = of[type as keyof typeof of]
      return [
        ...(webhooks?.('event', { $ref: '#/components/schemas/event' }, event) ?? []),
        ...(check?.(type, { $ref: `#/components/schemas/${name}` }, resource) ?? []),
      ]
    },
  }
}

const schemaOf = (content: Content | undefined): Schema | undefined =>
  content?.content?.['application/json']?.schema

function operationOf(paths: Document['paths'], method: string, path: string): Operation | undefined {
  const template = Object.keys(paths).find((one) =>
    new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  return template === undefined ? undefined : paths[template]?.[method.toLowerCase()]
}

function unknownParameters(
  { components }: Document,
  operation: Operation | undefined,
  { method, parameters }: Exchange,
): readonly string[] {
  if (method !== 'GET') return []
  const known = (operation?.parameters ?? []).map(
    ({ $ref, name }) => name ?? components.parameters?.[$ref?.split('/').at(-1) ?? '']?.name,
  )
  return [...parameters.keys()].filter((name) => !known.includes(name))
}

/** The reasons of an error that the document doesn't name anywhere. */
function unknownIssues(answer: unknown, text: string): readonly string[] {
  const { details = [] } = answer as { readonly details?: readonly { readonly issue: string }[] }
  return details.map(({ issue }) => issue).filter((issue) => !text.includes(issue))
}

type Check = (what: string, schema: Schema, value: unknown) => readonly string[]

function checkerOf(schemas: Schemas): Check {
  const definitions = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, closed(schema, schemas)]),
  )
  const readers = new Map<string, z.ZodType>()
  return (what, schema, value) => {
    const key = JSON.stringify(schema)
    const reader = readers.get(key) ?? readerOf(closed(schema, schemas), definitions)
    readers.set(key, reader)
    const { error } = reader.safeParse(value)
    return (error?.issues ?? []).map(
      (issue) =>
        `${what}: ${issue.path.join('.')} ${issue.code === 'unrecognized_keys' ? issue.keys.join() : issue.message}`,
    )
  }
}

function readerOf(schema: Schema, definitions: Schemas): z.ZodType {
  // zod's reader knows references to `definitions`.
  const text = JSON.stringify({ ...schema, definitions }).replaceAll(
    '#/components/schemas/',
    '#/definitions/',
  )
  return z.fromJSONSchema(JSON.parse(text) as z.core.JSONSchema.Schema, { defaultTarget: 'openapi-3.0' })
}

/** With the parts of `allOf` in one, and only the fields that the document names: one that we invented is a fault. */
function closed(schema: Schema, schemas: Schemas): Schema {
  const { allOf, properties, items, anyOf } = schema
  if (allOf !== undefined) {
    const parts = [...allOf, { properties: properties ?? {} }].map((part) => partOf(part, schemas))
    return object(Object.assign({}, ...parts.map((part) => part.properties).toReversed()) as Schemas, [
      ...parts.flatMap(({ required }) => required),
    ])
  }
  if (properties !== undefined)
    return object(
      Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, closed(inner, schemas)])),
      schema.required ?? [],
    )
  return {
    ...schema,
    ...(items !== undefined && { items: closed(items, schemas) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((one) => closed(one, schemas)) }),
  }
}

const object = (properties: Schemas, required: readonly string[]): Schema =>
  ({ type: 'object', properties, required: [...new Set(required)], additionalProperties: false }) as Schema

function partOf(
  part: Schema,
  schemas: Schemas,
): { readonly properties: Schemas; readonly required: readonly string[] } {
  const named = part.$ref === undefined ? part : (schemas[part.$ref.split('/').at(-1) ?? ''] ?? {})
  const { properties = {}, required = [] } = closed(named, schemas)
  return { properties, required }
}
