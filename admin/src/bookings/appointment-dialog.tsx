import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useChange } from '../api/api.ts'
import { faultsOf, reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import { instantOf, localMinute } from '../format/shop-times.ts'
import {
  CancelAppointmentDocument,
  CompleteAppointmentDocument,
  ConfirmAppointmentDocument,
  MarkAppointmentNoShowDocument,
  StartAppointmentDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, Fault } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { type Appointment, appointmentStatuses, isOpen } from './appointment-names.ts'
import type { BookingPeople } from './use-booking-people.ts'
import { useMove } from './use-move.ts'

interface Props {
  readonly appointment: Appointment
  readonly people: BookingPeople
  readonly onClose: () => void
}

/** One appointment: what it is, what becomes of it, and another time or person for it. */
export function AppointmentDialog({ appointment, people, onClose }: Props): ReactNode {
  const t = useText()
  const { dateTime, money } = useFormat()
  const mayWrite = useMay('booking:write')
  const { customer, service, staff, resources, startTime, price, paidAmount, currency, notes, status } =
    appointment
  return (
    <Dialog title={customer.name} narrow onClose={onClose}>
      <div className="body">
        <div className="between">
          <span className="strong">{service.name}</span>
          <StatusBadge status={appointmentStatuses[status]} />
        </div>
        <dl className="facts">
          <dt>{t('appointmentAt')}</dt>
          <dd>{dateTime(startTime)}</dd>
          <dt>{t('appointmentWith')}</dt>
          <dd>{[staff, ...resources].map(({ name }) => name).join(', ')}</dd>
          <dt>{t('price')}</dt>
          <dd>{money(price, currency)}</dd>
          <dt>{t('appointmentPaid')}</dt>
          <dd>{money(paidAmount, currency)}</dd>
        </dl>
        {notes !== null && <p className="note">{notes}</p>}
        {mayWrite && <Steps appointment={appointment} onClose={onClose} />}
        {mayWrite && isOpen(appointment) && (
          <MoveForm appointment={appointment} people={people} onClose={onClose} />
        )}
      </div>
      <footer>
        <Link href={`/customers/${customer.id}`} className="button plain">
          {t('toCustomer')}
        </Link>
        <Button look="primary" onPress={onClose}>
          {t('done')}
        </Button>
      </footer>
    </Dialog>
  )
}

/** What can become of it as it stands. */
function Steps({ appointment, onClose }: Pick<Props, 'appointment' | 'onClose'>): ReactNode {
  const t = useText()
  const { id, status, customer } = appointment
  const confirm = useChange(ConfirmAppointmentDocument, ['bookings'])
  const start = useChange(StartAppointmentDocument, ['bookings'])
  const complete = useChange(CompleteAppointmentDocument, ['bookings'])
  const cancel = useChange(CancelAppointmentDocument, ['bookings'])
  const noShow = useChange(MarkAppointmentNoShowDocument, ['bookings'])
  const all = [confirm, start, complete, cancel, noShow]
  const error = all.find((change) => change.error !== null)?.error ?? null
  const steps = [
    { change: confirm, name: 'confirmAppointment', shown: status === 'SCHEDULED' },
    { change: start, name: 'startAppointment', shown: status === 'CONFIRMED' },
    { change: complete, name: 'completeAppointment', shown: status === 'IN_PROGRESS' },
    { change: noShow, name: 'didNotCome', shown: status === 'CONFIRMED' },
    { change: cancel, name: 'cancelAppointment', shown: isOpen(appointment) },
  ] as const
  const act = async (change: (typeof all)[number]) => {
    for (const each of all) each.forget()
    if ((await change.run({ id })) === null) return
    tell(t('appointmentChanged', { name: customer.name }))
    onClose()
  }
  return (
    <div className="stack">
      {error !== null && <Fault text={reasonOf(error)} />}
      <span className="chips">
        {steps
          .filter(({ shown }) => shown)
          .map(({ change, name }) => (
            <Button
              key={name}
              isDisabled={all.some(({ pending }) => pending)}
              onPress={() => void act(change)}
            >
              {t(name)}
            </Button>
          ))}
      </span>
    </div>
  )
}

function MoveForm({ appointment, people, onClose }: Props): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const { startTime, staff, service } = appointment
  const before = localMinute(startTime, timeZone)
  const [day, setDay] = useState(before.slice(0, 10))
  const [time, setTime] = useState(before.slice(11))
  const [staffId, setStaff] = useState(staff.id)
  const { move, pending, error } = useMove()
  const faults = faultsOf(error, ['startTime', 'staffId'])
  const able = people.staff.filter(
    ({ id, active, services }) =>
      id === staff.id || (active && services.some((each) => each.id === service.id)),
  )
  const submit = async () => {
    const at = instantOf(`${day}T${time}`, timeZone)
    if (at !== null && (await move(appointment, at, staffId))) onClose()
  }
  return (
    <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
      {faults.general !== null && <Fault text={faults.general} />}
      <div className="columns">
        <TextField type="date" label={t('day')} value={day} onChange={setDay} isRequired />
        <TextField
          name="startTime"
          type="time"
          label={t('time')}
          value={time}
          onChange={setTime}
          isRequired
        />

        <Select
          name="staffId"
          label={t('appointmentWith')}
          value={staffId}
          onChange={setStaff}
          choices={able.map(({ id, name }) => ({ id, text: name }))}
        />
      </div>
      <div>
        <Button type="submit" isDisabled={pending}>
          {t('moveAppointment')}
        </Button>
      </div>
    </ServerForm>
  )
}
