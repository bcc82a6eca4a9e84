import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import {
  BookingServiceDetailDocument,
  DeleteBookingServiceDocument,
  UpdateBookingServiceDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { BookableActions } from './bookable-actions.tsx'
import { bookableStatus } from './bookable-status.ts'
import { ServiceForm } from './service-form.tsx'

const list = '/bookings/services'

/** A service that can be booked, or a new one. */
export default function ServicePage({ id }: { readonly id: string | null }): ReactNode {
  const t = useText()
  if (id !== null) return <KnownService id={id} />
  return (
    <Page title={t('newBookingService')} back={{ href: list, text: t('bookingServices') }} narrow>
      <ServiceForm service={null} />
    </Page>
  )
}

function KnownService({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const mayWrite = useMay('booking:write')
  const { data, error, refetch } = useApi('bookings', BookingServiceDetailDocument, { id })
  const service = data?.bookingService
  const back = { href: list, text: t('bookingServices') }
  if (service == null)
    return (
      <Page title={t('service')} back={back}>
        <div className="card">
          {error ? (
            <Failed error={error} retry={() => void refetch()} />
          ) : service === null ? (
            <Empty icon="search" title={t('noSuchService')} text={t('noSuchOrderText')} />
          ) : (
            <Loading lines={8} />
          )}
        </div>
      </Page>
    )
  return (
    <Page
      title={service.name}
      back={back}
      badges={<StatusBadge status={bookableStatus(service.active)} />}
      actions={
        mayWrite && (
          <BookableActions
            id={id}
            name={service.name}
            active={service.active}
            update={UpdateBookingServiceDocument}
            deletion={DeleteBookingServiceDocument}
            list={list}
          />
        )
      }
      narrow
    >
      <ServiceForm service={service} />
    </Page>
  )
}
