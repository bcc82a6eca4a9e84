import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import {
  BookingServiceDetailDocument,
  DeleteBookingServiceDocument,
  UpdateBookingServiceDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Page } from '../ui/page.tsx'
import { BookablePage } from './bookable-page.tsx'
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
  const { data, error, refetch } = useApi('bookings', BookingServiceDetailDocument, { id })
  return (
    <BookablePage
      kind={t('service')}
      list={{ href: list, text: t('bookingServices') }}
      row={data?.bookingService}
      error={error}
      retry={() => void refetch()}
      missing={t('noSuchService')}
      update={UpdateBookingServiceDocument}
      deletion={DeleteBookingServiceDocument}
      narrow
    >
      {(service) => <ServiceForm service={service} />}
    </BookablePage>
  )
}
