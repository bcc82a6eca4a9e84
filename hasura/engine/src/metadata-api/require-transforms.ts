import { HasuraError } from '../hasura-error.ts'
import { templateProblem } from '../kriti/render.ts'
import type { RequestTransform, ResponseTransform } from '../metadata/types.ts'

/**
 * Throws HasuraError for a webhook whose templates can't be parsed. As in Hasura only commands check this: an existing
 * trigger must not be dropped, with its events, because of a template.
 */
export function requireTransforms({
  request_transform: request,
  response_transform: response,
}: {
  readonly request_transform?: RequestTransform | undefined
  readonly response_transform?: ResponseTransform | undefined
}): void {
  requireTemplates('request', [...templatesOfRequest(request), ...templatesOfBody(request?.body)])
  requireTemplates('response', templatesOfBody(response?.body))
}

function requireTemplates(kind: 'request' | 'response', templates: readonly string[]): void {
  const problem = templates.map(templateProblem).find((each) => each !== undefined)
  if (problem !== undefined)
    throw new HasuraError('validation-failed', `${kind} transform validation failed`, { internal: [problem] })
}

/** Metadata holds a text template without its quotes. */
const textTemplate = (text: string): string => `"${text}"`

function templatesOfRequest(transform: RequestTransform | undefined): readonly string[] {
  if (transform === undefined) return []
  const { url, query_params: params = {}, request_headers: headers } = transform
  const query = typeof params === 'string' ? [params] : Object.entries(params).flat()
  return [url, ...query, ...Object.values(headers?.add_headers ?? {})]
    .filter((template) => typeof template === 'string')
    .map(textTemplate)
}

function templatesOfBody(body: RequestTransform['body']): readonly string[] {
  if (body === undefined) return []
  if (typeof body === 'string') return [body]
  return [
    ...(body.template === undefined ? [] : [body.template]),
    ...Object.values(body.form_template ?? {}).map(textTemplate),
  ]
}
