import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import {
  DeleteStaffMemberDocument,
  StaffMemberDetailDocument,
  UpdateStaffMemberDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Card } from '../ui/states.tsx'
import { BookablePage } from './bookable-page.tsx'
import { HoursCards } from './hours-cards.tsx'
import { StaffMemberForm } from './staff-member-form.tsx'

const list = '/bookings/staff'

/** A person who takes appointments, with the hours, or a new one. */
export default function StaffMemberPage({ id }: { readonly id: string | null }): ReactNode {
  const t = useText()
  if (id !== null) return <KnownStaffMember id={id} />
  return (
    <Page title={t('newStaffMember')} back={{ href: list, text: t('bookingStaff') }} narrow>
      <Card title={t('staffMember')}>
        <StaffMemberForm member={null} />
      </Card>
    </Page>
  )
}

function KnownStaffMember({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const shop = useShop()
  const { data, error, refetch } = useApi('bookings', StaffMemberDetailDocument, { id })
  return (
    <BookablePage
      kind={t('staffMember')}
      list={{ href: list, text: t('bookingStaff') }}
      row={data?.staffMember}
      error={error}
      retry={() => void refetch()}
      missing={t('noSuchStaff')}
      update={UpdateStaffMemberDocument}
      deletion={DeleteStaffMemberDocument}
    >
      {(member) => (
        <div className="halves">
          <Card title={t('staffMember')}>
            <StaffMemberForm member={member} />
          </Card>
          <div className="stack">
            <HoursCards staffId={id} timeZone={member.timeZone ?? shop.timeZone} schedule={member.schedule} />
          </div>
        </div>
      )}
    </BookablePage>
  )
}
