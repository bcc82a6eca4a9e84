import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { ask, type Document, type Subject } from '../api/api.ts'

interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly totalCount: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** Of a list whose record is gone. */
export const noRows: Connection<never> = {
  nodes: [],
  totalCount: 0,
  pageInfo: { hasNextPage: false, endCursor: null },
}

export interface Pages<Row> {
  readonly rows: readonly Row[]
  readonly totalCount: number
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly loading: boolean
  /** Nothing has come yet. */
  readonly pending: boolean
  readonly error: Error | null
  readonly retry: () => void
}

interface PagesOptions<Data, Variables, Row> {
  readonly subject: Subject
  readonly document: Document<Data, Variables>
  readonly variables: Omit<Variables, 'first' | 'after'>
  readonly connection: (data: Data) => Connection<Row>
  /** Milliseconds until the rows are asked for again by themselves; false: they aren't. */
  readonly pauseFor?: (rows: readonly Row[]) => number | false
}

const pageSize = 50

/** The pages of a list, by cursor: a row that comes in meanwhile moves none of them. */
export function usePages<Data, Variables, Row>({
  subject,
  document,
  variables,
  connection,
  pauseFor,
}: PagesOptions<Data, Variables, Row>): Pages<Row> {
  const query = useInfiniteQuery({
    queryKey: [subject, document.toString(), variables, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      ask(document, { ...variables, first: pageSize, after: pageParam } as Variables, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam(last: Data) {
      const { hasNextPage, endCursor } = connection(last).pageInfo
      return hasNextPage ? endCursor : undefined
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      pauseFor?.(state.data?.pages.flatMap((page) => connection(page).nodes) ?? []) ?? false,
  })
  const { data, fetchNextPage, refetch } = query
  const rows = useMemo(() => data?.pages.flatMap((page) => connection(page).nodes) ?? [], [data, connection])
  const [first] = data?.pages ?? []
  return {
    rows,
    totalCount: first === undefined ? 0 : connection(first).totalCount,
    hasMore: query.hasNextPage,
    loadMore: useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]),
    loading: query.isFetchingNextPage,
    pending: query.isPending,
    error: query.error,
    retry: useCallback(() => void refetch(), [refetch]),
  }
}
