import type { KritiFunction } from '../kriti/functions.ts'
import { render } from '../kriti/render.ts'
import type { Json } from '../metadata/parse.ts'
import type { RequestTransform } from '../metadata/types.ts'
import type { WebhookRequest } from './send-webhook.ts'
import { renderedValue, scalarText, transformError } from './transform-error.ts'
import { withoutCredentials } from './url-credentials.ts'

export type SessionVariables = Readonly<Record<string, string>>

/** The variables of a request's templates. */
export interface TransformContext {
  readonly base_url: string
  readonly body: Json
  readonly session_variables: SessionVariables | null
  readonly query_params: readonly (readonly [string, string])[]
}

export const transformContext = (
  url: string,
  body: Json,
  session: SessionVariables | undefined,
): TransformContext => ({
  base_url: url,
  body,
  session_variables: session ?? null,
  query_params: URL.canParse(url) ? [...new URL(url).searchParams] : [],
})

/** Applies `request_transform` to a request. Throws TransformError. */
export function transformRequest(
  transform: RequestTransform,
  request: WebhookRequest,
  context: TransformContext,
): WebhookRequest {
  const { method, url, query_params: params, request_headers: headers } = transform
  const text = (template: string): string => scalarText(renderTemplate(quoted(template), context))
  const target = url === undefined ? request.url : targetUrl(renderTemplate(quoted(url), context))
  return {
    method: method?.toUpperCase() ?? request.method,
    url: params === undefined ? target : withQuery(target, queryOf(params, text)),
    headers: headers === undefined ? request.headers : transformedHeaders(headers, request.headers, text),
    body: transformedBody(transform.body, request.body, context, text),
  }
}

/** Metadata holds a text template without its quotes. */
const quoted = (template: string): string => `"${template}"`

const renderTemplate = (template: string, context: TransformContext): Json =>
  renderedValue(
    render(
      template,
      {
        $body: context.body,
        $session_variables: context.session_variables,
        $query_params: context.query_params,
        $base_url: context.base_url,
      },
      sessionFunctions(context.session_variables),
    ),
  )

/** `getSessionVariable "X-Hasura-User-Id"`: names of session variables are case-insensitive. */
export const sessionFunctions = (
  session: SessionVariables | null,
): Readonly<Record<string, KritiFunction>> => ({
  getSessionVariable: (name) => {
    if (typeof name !== 'string') throw new TypeError('expected a String')
    const value = session?.[name.toLowerCase()]
    if (value === undefined) throw new TypeError(`Session variable "${name}" not found`)
    return value
  },
})

function targetUrl(value: Json): string {
  if (typeof value !== 'string')
    throw transformError(`URL Transforms must produce a JSON String: ${JSON.stringify(value)}`)
  if (!URL.canParse(value)) throw transformError(`Invalid URL: ${withoutCredentials(value)}`)
  return value
}

type Text = (template: string) => string

function queryOf(params: NonNullable<RequestTransform['query_params']>, text: Text): URLSearchParams {
  if (typeof params === 'string') return new URLSearchParams(text(params))
  const pairs = Object.entries(params).map(([key, value]): [string, string] => [
    text(key),
    value === null ? '' : text(value),
  ])
  // A parameter that a template renders to `null` is left out.
  return new URLSearchParams(pairs.filter(([key, value]) => key !== 'null' && value !== 'null'))
}

function withQuery(url: string, query: URLSearchParams): string {
  if (!URL.canParse(url)) throw transformError(`Invalid URL: ${withoutCredentials(url)}`)
  const target = new URL(url)
  target.search = query.toString()
  return target.href
}

function transformedHeaders(
  { add_headers: added = {}, remove_headers: removed = [] }: NonNullable<RequestTransform['request_headers']>,
  headers: WebhookRequest['headers'],
  text: Text,
): WebhookRequest['headers'] {
  const replaced = new Set([...removed, ...Object.keys(added)].map((name) => name.toLowerCase()))
  return [
    ...headers.filter(([name]) => !replaced.has(name.toLowerCase())),
    ...Object.entries(added).map(([name, template]) => [name, text(template)] as const),
  ]
}

function transformedBody(
  transform: RequestTransform['body'],
  body: string | undefined,
  context: TransformContext,
  text: Text,
): string | undefined {
  if (transform === undefined) return body
  if (typeof transform === 'string') return JSON.stringify(renderTemplate(transform, context))
  switch (transform.action) {
    case 'remove':
      return undefined
    case 'transform':
      return JSON.stringify(renderTemplate(transform.template ?? '', context))
    case 'x_www_form_urlencoded':
      return formText(transform.form_template ?? {}, text)
    default:
      return transform.action satisfies never
  }
}

export const formText = (templates: Readonly<Record<string, string>>, text: Text): string =>
  Object.entries(templates)
    .map(([key, template]) => `${encodeURIComponent(key)}=${encodeURIComponent(text(template))}`)
    .join('&')
