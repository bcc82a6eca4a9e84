import type { OutgoingHttpHeaders } from 'node:http'
import { type HasuraError, errorBody } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'

export interface HttpResponse {
  readonly status: number
  readonly headers?: OutgoingHttpHeaders
  readonly body: string
}

const json = { 'content-type': 'application/json; charset=utf-8' }

/** `text` is JSON already; Postgres made it and nobody parses it again. */
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

/** An error as `/v1/metadata` and its like answer it. */
export const errorResponse = (error: HasuraError): HttpResponse =>
  jsonResponse(error.status, errorBody(error))

/** An error as `/v1/graphql` answers it: in the body, under 200. */
export const graphqlErrorResponse = ({ path, code, message }: HasuraError): HttpResponse =>
  jsonResponse(200, { errors: [{ message, extensions: { path, code } }] })
