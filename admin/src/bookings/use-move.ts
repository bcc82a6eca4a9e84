import { useChange } from '../api/api.ts'
import type { RequestError } from '@commerce-graph/client'
import { RescheduleAppointmentDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Appointment } from './appointment-names.ts'

export interface Move {
  /** Resolves with whether it was moved: `error` says why not. */
  readonly move: (appointment: Appointment, startTime: string, staffId: string) => Promise<boolean>
  readonly pending: boolean
  readonly error: RequestError | null
}

/** Moves appointments; each can be taken back for a while. */
export function useMove(): Move {
  const t = useText()
  const { run, pending, error } = useChange(RescheduleAppointmentDocument, ['bookings'])
  return {
    async move({ id, startTime: before, staff, customer }, startTime, staffId) {
      if ((await run({ id, input: { startTime, staffId } })) === null) return false
      tell(t('appointmentMoved', { name: customer.name }), () => {
        void run({ id, input: { startTime: before, staffId: staff.id } })
      })
      return true
    },
    pending,
    error,
  }
}
