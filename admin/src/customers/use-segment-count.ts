import { RequestFailed } from '@commerce-graph/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { change } from '../api/api.ts'
import { PreviewSegmentDocument } from '../generated/operations.ts'
import { typingPause } from '../ui/use-filters.ts'
import type { Filter } from './segment-conditions.ts'

/** How many customers meet conditions that aren't saved. Null where a condition isn't complete, undefined as long as it isn't known. */
export function useSegmentCount(filter: Filter): number | null | undefined {
  const { data, error } = useQuery({
    queryKey: ['customers', 'segment count', filter],
    // Another letter aborts it.
    async queryFn({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, typingPause))
      signal.throwIfAborted()
      return (await change(PreviewSegmentDocument, { filter })).previewCustomerSegment
    },
    placeholderData: keepPreviousData,
  })
  if (error === null) return data?.memberCount
  return error instanceof RequestFailed && error.error.kind === 'refused' ? null : undefined
}
