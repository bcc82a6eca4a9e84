import { createClient, type RequestError, RequestFailed, type Result } from '@commerce-graph/client'
import { QueryClient, useMutation, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { session } from '../session/session.ts'
import { noteRateUsage } from './rate-usage.ts'

/** A typed document, as codegen makes it from the .graphql files. */
export interface Document<Data, Variables> {
  toString(): string
  readonly length: number
  readonly __apiType?: (variables: Variables) => Data
}

export const client = createClient({
  url: new URL('/graphql', location.href).href,
  accessToken: () => session.accessToken(),
  async fetch(url, init) {
    const answer = await fetch(url, init)
    noteRateUsage(answer.headers)
    return answer
  },
})

export const queryClient = new QueryClient({
  defaultOptions: {
    // The client itself sends again what may succeed then.
    queries: { retry: false, staleTime: 15_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})

/** Whoever is refused has no session any more. */
function settled<Data>(result: Result<Data>): Result<Data> {
  if (!result.ok && result.error.kind === 'unauthenticated') session.end()
  return result
}

interface QueryOptions {
  /** Takes what the role may see, although parts are refused. */
  readonly partial?: boolean
  readonly signal?: AbortSignal
}

/** Throws RequestFailed. */
export async function ask<Data, Variables>(
  document: Document<Data, Variables>,
  variables: Variables,
  { partial = false, signal }: QueryOptions = {},
): Promise<Data> {
  const text = document.toString()
  const result = settled(
    await client.query<Data>(text, variables as Readonly<Record<string, unknown>>, signal ? { signal } : {}),
  )
  if (result.ok) return result.data
  if (partial && result.data !== null) return result.data as Data
  throw new RequestFailed(result.error)
}

/** Of the key of a query, what tells lists of one kind from others, so that a change can have them asked again. */
export type Subject =
  | 'orders'
  | 'products'
  | 'categories'
  | 'jobs'
  | 'stock'
  | 'customers'
  | 'settings'
  | 'bookings'
  | 'reports'
  | 'home'
  | 'viewer'
  | 'promotions'
  | 'reviews'
  | 'emails'

export interface UseApiOptions {
  readonly partial?: boolean
  readonly enabled?: boolean
}

export const useApi = <Data, Variables>(
  subject: Subject,
  document: Document<Data, Variables>,
  variables: Variables,
  { partial = false, enabled = true }: UseApiOptions = {},
): UseQueryResult<Data> =>
  useQuery({
    queryKey: [subject, document.toString(), variables],
    queryFn: ({ signal }) => ask(document, variables, { partial, signal }),
    enabled,
  })

/** A mutation. Throws RequestFailed. */
export async function change<Data, Variables>(
  document: Document<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const result = settled(
    await client.mutate<Readonly<Record<string, unknown>>>(
      document.toString(),
      variables as Readonly<Record<string, unknown>>,
    ),
  )
  if (!result.ok) throw new RequestFailed(result.error)
  return result.data as Data
}

/** A mutation among several, of which each may be refused by itself: resolves with why, or with null. */
export const changeOrRefusal = <Data, Variables>(
  document: Document<Data, Variables>,
  variables: Variables,
): Promise<RequestError | null> =>
  change(document, variables).then(
    () => null,
    (error: unknown) => {
      if (error instanceof RequestFailed) return error.error
      throw error
    },
  )

/** Has what is shown of these subjects asked again. */
export const askAgain = (subjects: readonly Subject[]): Promise<unknown> =>
  Promise.all(subjects.map((subject) => queryClient.invalidateQueries({ queryKey: [subject] })))

export interface Change<Data, Variables> {
  /** Resolves with the data, or with null if the change was refused: `error` says why. */
  readonly run: (variables: Variables) => Promise<Data | null>
  readonly pending: boolean
  readonly error: RequestError | null
  readonly forget: () => void
}

/** A mutation, after which the queries of these subjects are asked again, also when it was refused: somebody else was quicker. */
export function useChange<Data, Variables>(
  document: Document<Data, Variables>,
  subjects: readonly Subject[],
): Change<Data, Variables> {
  const mutation = useMutation({
    mutationFn: (variables: Variables) => change(document, variables),
    onSettled: () => askAgain(subjects),
  })
  return {
    run: (variables) => mutation.mutateAsync(variables).catch(() => null),
    pending: mutation.isPending,
    error: errorOf(mutation.error),
    forget: mutation.reset,
  }
}

export const errorOf = (error: Error | null): RequestError | null =>
  error instanceof RequestFailed ? error.error : null
