import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { change } from '../api/api.ts'
import { PreviewSegmentDocument } from '../generated/operations.ts'
import { typingPause } from '../ui/use-filters.ts'
import type { Filter } from './segment-conditions.ts'

/** How many customers meet conditions that aren't saved. Undefined until it is known, null where a condition isn't complete. */
export function useSegmentCount(filter: Filter): number | null | undefined {
  const { data, isError } = useQuery({
    queryKey: ['customers', 'segment count', filter],
    // Another letter aborts it.
    async queryFn({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, typingPause))
      signal.throwIfAborted()
      return (await change(PreviewSegmentDocument, { filter })).previewCustomerSegment
    },
    placeholderData: keepPreviousData,
  })
  return isError ? null : data?.memberCount
}
