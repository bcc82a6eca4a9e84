import { useChange } from '../api/api.ts'
import type { RequestError } from '@commerce-graph/client'
import { ConfirmAppointmentDocument, RescheduleAppointmentDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Appointment } from './appointment-names.ts'

export interface Move {
  /** Resolves with whether it was moved: `error` says why not. */
  readonly move: (appointment: Appointment, startTime: string, staffId: string) => Promise<boolean>
  readonly pending: boolean
  readonly error: RequestError | null
  readonly forget: () => void
}

/** Moves appointments; each can be taken back for a while. */
export function useMove(): Move {
  const t = useText()
  const { run, pending, error, forget } = useChange(RescheduleAppointmentDocument, ['bookings'])
  const confirm = useChange(ConfirmAppointmentDocument, ['bookings'])
  /** A moved appointment has to be confirmed again. */
  const back = async ({ id, startTime, staff, status }: Appointment) => {
    const input = { startTime, staffId: staff.id }
    const isBack = (await run({ id, input })) !== null
    const isWhole = isBack && (status !== 'CONFIRMED' || (await confirm.run({ id })) !== null)
    if (!isWhole) tell(t('moveNotTakenBack'))
  }
  return {
    async move(appointment, startTime, staffId) {
      const { id, customer } = appointment
      if ((await run({ id, input: { startTime, staffId } })) === null) return false
      tell(t('appointmentMoved', { name: customer.name }), () => void back(appointment))
      return true
    },
    pending,
    error,
    forget,
  }
}
