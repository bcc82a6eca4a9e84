interface GraphQLError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions: {
    readonly id: string
    readonly code: string
    readonly statusCode: number
    readonly requestId: string
    readonly details: Readonly<Record<string, unknown>>
  }
}

export interface Answer<Data> {
  readonly status: number
  readonly data: Data | null
  readonly errors: readonly GraphQLError[]
  /** The body as it came, for tests that look for what must not be in it. */
  readonly text: string
}

export type Client = <Data = Readonly<Record<string, unknown>>>(
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => Promise<Answer<Data>>

/** Talks to a GraphQL endpoint as any integrator would: over HTTP, with nothing but a credential. */
export const createClient =
  (url: string, headers: Readonly<Record<string, string>>): Client =>
  async <Data>(query: string, variables: Readonly<Record<string, unknown>> = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    const body = JSON.parse(text) as { data?: Data; errors?: readonly GraphQLError[] }
    return { status: response.status, data: body.data ?? null, errors: body.errors ?? [], text }
  }

export const bearer = (credential: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${credential}`,
})
