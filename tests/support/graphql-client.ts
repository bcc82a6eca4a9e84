import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, print } from 'graphql'

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
  /** The unparsed body, for tests that search it for forbidden values. */
  readonly text: string
}

type Variables = Readonly<Record<string, unknown>>

export interface Client {
  /** Sends a typed document, which may have no variables. */
  <Data, Own extends Variables>(
    document: TypedDocumentNode<Data, Own>,
    ...variables: Own extends Readonly<Record<string, never>> ? [] : [NoInfer<Own>]
  ): Promise<Answer<Data>>
  <Data = Variables>(query: string, variables?: Variables): Promise<Answer<Data>>
}

/** A client of a GraphQL endpoint over HTTP that has only a credential, like an integrator's. */
export const createClient =
  (url: string, headers: Readonly<Record<string, string>>): Client =>
  async <Data>(document: DocumentNode | string, variables: Variables = {}) => {
    const query = typeof document === 'string' ? document : print(document)
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
