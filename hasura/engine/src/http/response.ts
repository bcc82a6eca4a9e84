import type { OutgoingHttpHeaders } from 'node:http'
import { type HasuraError, errorBody } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'

export interface HttpResponse {
  readonly status: number
  readonly headers?: OutgoingHttpHeaders
  readonly body: string
  /** Whether it may be compressed for a client that takes it so. */
  readonly compressible?: boolean
}

const json = { 'content-type': 'application/json; charset=utf-8' }

/** `text` is already JSON, from Postgres, and is not parsed again. */
export const jsonText = (text: string, headers?: OutgoingHttpHeaders): HttpResponse => ({
  status: 200,
  headers: headers === undefined ? json : { ...json, ...headers },
  body: text,
})

export const jsonResponse = (status: number, body: Json): HttpResponse => ({
  status,
  headers: json,
  body: JSON.stringify(body),
})

export const textResponse = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})

/** An error in the form of `/v1/metadata` and similar endpoints. */
export const errorResponse = (error: HasuraError): HttpResponse =>
  jsonResponse(error.status, errorBody(error))

/** An error in the form of `/v1/graphql`: in the body, with status 200. */
export const graphqlErrorResponse = ({ path, code, message }: HasuraError): HttpResponse =>
  jsonResponse(200, { errors: [{ message, extensions: { path, code } }] })
