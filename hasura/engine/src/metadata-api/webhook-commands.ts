import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { type Json, json, record } from '../metadata/parse.ts'
import { requestTransform, responseTransform } from '../metadata/webhook.ts'
import { type Environment, UnsetVariable, resolveTemplate } from '../webhook/environment.ts'
import { TransformError } from '../webhook/transform-error.ts'
import { transformContext, transformRequest } from '../webhook/transform-request.ts'
import { type Command, read } from './command.ts'

const testWebhookTransform = record({
  /** Replaces the environment, because the real variables' values must not be shown. */
  env: z.record(z.string(), z.string()).default({}),
  webhook_url: z.union([z.string(), record({ from_env: z.string().min(1) })]),
  request_headers: z.array(z.tuple([z.string(), z.string()])).default([]),
  body: json,
  request_transform: requestTransform,
  response_transform: responseTransform.optional(),
  session_variables: z.record(z.string(), z.string()).optional(),
})

export const webhookCommands: Readonly<Record<string, Command>> = {
  /** The result of a request transform. No request is sent. */
  test_webhook_transform: read(testWebhookTransform, (args) => {
    const { env, webhook_url: given, body, request_transform: transform } = args
    const url = typeof given === 'string' ? filledIn(given, env) : env[given.from_env]
    if (url === undefined) throw new HasuraError('not-found', 'Missing Env Var')
    if (!URL.canParse(url)) throw refused([{ error_code: 'Request Initialization Error', message: url }])
    const request = {
      method: 'POST',
      url,
      headers: args.request_headers.map(([name, value]) => [name, filledIn(value, env)] as const),
      body: JSON.stringify(body),
    }
    try {
      const session = args.session_variables && lowerCaseNames(args.session_variables)
      const result = transformRequest(transform, request, transformContext(url, body, session))
      return Promise.resolve({
        webhook_url: result.url,
        method: result.method,
        headers: result.headers.map(([name, value]) => [name.toLowerCase(), value]),
        body: bodyJson(result.body),
      })
    } catch (error) {
      throw error instanceof TransformError ? refused(error.errors) : error
    }
  }),
}

const refused = (errors: Json): HasuraError =>
  new HasuraError('validation-failed', 'request transform validation failed', { internal: errors })

function filledIn(template: string, env: Environment): string {
  try {
    return resolveTemplate(template, env)
  } catch (error) {
    if (!(error instanceof UnsetVariable)) throw error
    throw new HasuraError('not-found', missingVariable(error.variable))
  }
}

/** In Hasura's words, for the console. */
const missingVariable = (name: string): string =>
  `Missing Env Var: ${name}. For security reasons when testing request options real environment variable values are not available. Please enter a mock value for ${name} in the Sample Env Variables list. See https://hasura.io/docs/latest/graphql/core/actions/rest-connectors/#action-transforms-sample-context`

const lowerCaseNames = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]))

/** A form is shown as text. */
function bodyJson(body: string | undefined): Json {
  if (body === undefined) return null
  try {
    return json.parse(JSON.parse(body))
  } catch {
    return body
  }
}
