import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { addDays, startOfDay } from '../format/shop-days.ts'
import {
  CreateAppointmentDocument,
  CustomersToBookDocument,
  FreeSlotsDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useTyped } from '../ui/use-filters.ts'
import type { BookingPeople } from './use-booking-people.ts'

interface Props {
  readonly day: string
  readonly people: BookingPeople
  readonly onClose: () => void
}

/** Books a free time of a service for a customer. */
export function BookDialog({ day: given, people, onClose }: Props): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const { time } = useFormat()
  const services = people.services.filter(({ active }) => active)
  const [serviceId, setService] = useState(services[0]?.id ?? '')
  const [day, setDay] = useState(given)
  const [slot, setSlot] = useState('')
  const [search, setSearch] = useState('')
  const [typed, setTyped] = useTyped(search, setSearch)
  const [customerId, setCustomer] = useState('')
  const [notes, setNotes] = useState('')
  const hasDay = /^\d{4}-\d\d-\d\d$/.test(day)
  const slots = useApi(
    'bookings',
    FreeSlotsDocument,
    {
      serviceId,
      from: hasDay ? startOfDay(day, timeZone).toISOString() : '',
      to: hasDay ? startOfDay(addDays(day, 1), timeZone).toISOString() : '',
    },
    { enabled: serviceId !== '' && hasDay },
  )
  const customers = useApi('customers', CustomersToBookDocument, {
    searchQuery: search === '' ? null : search,
  })
  const { run, error, pending } = useChange(CreateAppointmentDocument, ['bookings'])
  const free = slots.data?.availability ?? []
  const chosen = free.find(({ startTime, staffId }) => `${startTime} ${staffId}` === slot)
  const submit = async () => {
    if (chosen === undefined) return
    const input = {
      serviceId,
      customerId,
      startTime: chosen.startTime,
      staffId: chosen.staffId,
      notes: notes === '' ? null : notes,
    }
    if ((await run({ input })) === null) return
    tell(t('appointmentBooked'))
    onClose()
  }
  return (
    <FormDialog
      title={t('newAppointment')}
      narrow
      fields={['serviceId', 'customerId', 'startTime', 'staffId', 'notes']}
      error={error}
      submit={t('book')}
      pending={pending}
      disabled={chosen === undefined || customerId === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Select
        name="serviceId"
        label={t('service')}
        value={serviceId}
        onChange={setService}
        choices={services.map(({ id, name }) => ({ id, text: name }))}
      />
      <TextField type="date" label={t('day')} value={day} onChange={setDay} isRequired />
      <Select
        name="startTime"
        label={t('freeTime')}
        hint={slots.data !== undefined && free.length === 0 ? t('noFreeTime') : undefined}
        value={slot}
        onChange={setSlot}
        choices={free.map(({ startTime, staffId, staff }) => ({
          id: `${startTime} ${staffId}`,
          text: `${time(startTime)} · ${staff.name}`,
        }))}
      />
      <TextField label={t('searchCustomer')} value={typed} onChange={setTyped} />
      <Select
        name="customerId"
        label={t('customer')}
        value={customerId}
        onChange={setCustomer}
        choices={(customers.data?.customers.nodes ?? []).map(({ id, name, email }) => ({
          id,
          text: `${name} · ${email}`,
        }))}
      />
      <TextField name="notes" label={t('notes')} value={notes} onChange={setNotes} multiline />
    </FormDialog>
  )
}
