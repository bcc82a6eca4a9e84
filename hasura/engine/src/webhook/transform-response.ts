import { render } from '../kriti/render.ts'
import type { Json } from '../metadata/parse.ts'
import type { ResponseTransform } from '../metadata/types.ts'
import { renderedValue, scalarText } from './transform-error.ts'
import {
  type SessionVariables,
  type TransformContext,
  formText,
  sessionFunctions,
} from './transform-request.ts'

export interface ResponseContext {
  /** The answer's body; null if it is no JSON. */
  readonly body: Json
  readonly status: number
  readonly session: SessionVariables | undefined
  /** The variables of the request's templates; absent if the request was not transformed. */
  readonly request: TransformContext | undefined
}

/** Applies `response_transform` to the body of an answer. Throws TransformError. */
export function transformResponse(
  { body: transform }: ResponseTransform,
  { body, status, session, request }: ResponseContext,
): Json {
  if (transform === undefined) return body
  const evaluate = (template: string): Json =>
    renderedValue(
      render(
        template,
        { $body: body, $response: { status }, $request: requestJson(request) },
        sessionFunctions(session ?? null),
      ),
    )
  if (typeof transform === 'string') return evaluate(transform)
  switch (transform.action) {
    case 'remove':
      return null
    case 'transform':
      return evaluate(transform.template ?? '')
    case 'x_www_form_urlencoded':
      return formText(transform.form_template ?? {}, (template) => scalarText(evaluate(`"${template}"`)))
    default:
      return transform.action satisfies never
  }
}

/** As in Hasura, every part of the request contains the whole context: `$request.body.session_variables`. */
function requestJson(context: TransformContext | undefined): Json {
  if (context === undefined) return null
  const all: Json = { ...context }
  return { method: all, url: all, body: all, query_params: all, request_headers: all }
}
