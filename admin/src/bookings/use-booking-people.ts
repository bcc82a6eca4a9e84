import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { allNodes } from '../api/all-nodes.ts'
import type { Subject } from '../api/api.ts'
import {
  BookingResourcesDocument,
  type BookingResourcesQuery,
  BookingServicesDocument,
  type BookingServicesQuery,
  BookingStaffDocument,
  type BookingStaffQuery,
} from '../generated/operations.ts'

/** All that the calendar is about, archived ones as well. */
export interface BookingPeople {
  readonly staff: readonly BookingStaffQuery['staffMembers']['nodes'][number][]
  readonly resources: readonly BookingResourcesQuery['resources']['nodes'][number][]
  readonly services: readonly BookingServicesQuery['bookingServices']['nodes'][number][]
}

const subject: Subject = 'bookings'

export const useBookingPeople = (): UseQueryResult<BookingPeople> =>
  useQuery({ queryKey: [subject, 'people'], queryFn: ({ signal }) => loadPeople(signal) })

async function loadPeople(signal: AbortSignal): Promise<BookingPeople> {
  const [staff, resources, services] = await Promise.all([
    allNodes(BookingStaffDocument, {}, ({ staffMembers }) => staffMembers, signal),
    allNodes(BookingResourcesDocument, {}, (data) => data.resources, signal),
    allNodes(BookingServicesDocument, {}, ({ bookingServices }) => bookingServices, signal),
  ])
  return { staff, resources, services }
}
