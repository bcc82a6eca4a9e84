import type { Client, Executed, RequestError, Result } from '@commerce-graph/client'

/** A typed document, as codegen makes it from the .graphql files. */
export interface Document<Data, Variables> {
  toString(): string
  readonly __apiType?: (variables: Variables) => Data
}

type Values = Readonly<Record<string, unknown>>

/** The data of a query. Throws a Response that shows the page for errors. */
export async function ask<Data, Variables>(
  client: Client,
  document: Document<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const options = signal === undefined ? {} : { signal }
  const result = await client.query<Data>(document.toString(), variables as Values, options)
  if (result.ok) return result.data
  throw pageError(result.error)
}

/** Runs a mutation. Errors are values: a form shows them. */
export const change = <Data, Variables>(
  client: Client,
  document: Document<Data, Variables>,
  variables: Variables,
): Promise<Result<Executed<Data>>> => client.mutate<Data>(document.toString(), variables as Values)

/** What the page for errors is told: the kind names a text of the catalogue. */
function pageError({ kind, message, statusCode }: RequestError): Response {
  const status = kind === 'unavailable' || kind === 'not-graphql' ? 503 : (statusCode ?? 500)
  return new Response(JSON.stringify({ kind, message }), {
    status: status >= 400 ? status : 500,
    headers: { 'content-type': 'application/json' },
  })
}
