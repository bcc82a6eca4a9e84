import { atLeast, before } from './filter.ts'
import type { SortField } from './types.ts'

/** Every list whose records know when they were last changed is sorted by that. */
export const updatedAtSort = {
  UPDATED_AT: { column: 'updated_at', type: 'timestamptz' },
} as const satisfies Readonly<Record<string, SortField>>

/** Half open, so that spans of time that follow each other neither overlap nor leave a gap. */
export const updatedAtFilters = {
  updatedAfter: atLeast('updated_at', 'timestamptz'),
  updatedBefore: before('updated_at', 'timestamptz'),
}
