import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { ask } from '../api/api.ts'
import { CategoryListDocument, type CategoryListQuery } from '../generated/operations.ts'

export type Category = CategoryListQuery['categories']['nodes'][number]

const pageSize = 100

/** All categories, in the merchant's order: a tree can be shown as a whole only. */
export const useCategories = (enabled = true): UseQueryResult<readonly Category[]> =>
  useQuery({
    queryKey: ['categories'],
    enabled,
    async queryFn({ signal }) {
      const found: Category[] = []
      let after: string | null = null
      do {
        const { categories }: CategoryListQuery = await ask(
          CategoryListDocument,
          { first: pageSize, after },
          { signal },
        )
        found.push(...categories.nodes)
        after = categories.pageInfo.hasNextPage ? categories.pageInfo.endCursor : null
      } while (after !== null)
      return found
    },
  })
