import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { type Document, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Fault } from '../ui/dialog.tsx'
import { tell } from '../ui/toasts.tsx'

interface Props<Updated, Deleted> {
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly update: Document<Updated, { id: string; input: { active: boolean } }>
  readonly deletion: Document<Deleted, { id: string }>
  /** The list of its kind. */
  readonly list: string
}

/** Archives a service, a person or a resource, brings it back, or deletes it as long as nothing was booked with it. */
export function BookableActions<Updated, Deleted>({
  id,
  name,
  active,
  update,
  deletion,
  list,
}: Props<Updated, Deleted>): ReactNode {
  const t = useText()
  const [, go] = useLocation()
  const [deleting, setDeleting] = useState(false)
  const { run, pending, error } = useChange(update, ['bookings'])
  const toggle = async () => {
    if ((await run({ id, input: { active: !active } })) === null) return
    tell(t(active ? 'isArchived' : 'isBroughtBack', { name }))
  }
  return (
    <>
      {error !== null && <Fault text={reasonOf(error)} />}
      <Button isDisabled={pending} onPress={() => void toggle()}>
        {t(active ? 'archive' : 'bringBack')}
      </Button>
      <Button onPress={() => setDeleting(true)}>{t('delete')}</Button>
      {deleting && (
        <ConfirmDialog
          title={t('deleteNamed', { name })}
          lead={t('deleteBookingLead')}
          submit={t('delete')}
          danger
          document={deletion}
          variables={{ id }}
          subjects={['bookings']}
          done={t('bookingDeleted', { name })}
          onDone={() => go(list, { replace: true })}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  )
}
