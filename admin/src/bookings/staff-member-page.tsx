import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import {
  DeleteStaffMemberDocument,
  StaffMemberDetailDocument,
  UpdateStaffMemberDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { BookableActions } from './bookable-actions.tsx'
import { bookableStatus } from './bookable-status.ts'
import { HoursCards } from './hours-cards.tsx'
import { type LoadedStaffMember, StaffMemberForm } from './staff-member-form.tsx'

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
  const { data, error, refetch } = useApi('bookings', StaffMemberDetailDocument, { id })
  const member = data?.staffMember
  if (member != null) return <Editor member={member} />
  return (
    <Page title={t('staffMember')} back={{ href: list, text: t('bookingStaff') }}>
      <div className="card">
        {error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : member === null ? (
          <Empty icon="search" title={t('noSuchStaff')} text={t('noSuchOrderText')} />
        ) : (
          <Loading lines={8} />
        )}
      </div>
    </Page>
  )
}

function Editor({ member }: { readonly member: LoadedStaffMember }): ReactNode {
  const t = useText()
  const shop = useShop()
  const mayWrite = useMay('booking:write')
  const { id, name, active, timeZone, schedule } = member
  return (
    <Page
      title={name}
      back={{ href: list, text: t('bookingStaff') }}
      badges={<StatusBadge status={bookableStatus(active)} />}
      actions={
        mayWrite && (
          <BookableActions
            id={id}
            name={name}
            active={active}
            update={UpdateStaffMemberDocument}
            deletion={DeleteStaffMemberDocument}
            list={list}
          />
        )
      }
    >
      <div className="halves">
        <Card title={t('staffMember')}>
          <StaffMemberForm member={member} />
        </Card>
        <div className="stack">
          <HoursCards staffId={id} timeZone={timeZone ?? shop.timeZone} schedule={schedule} />
        </div>
      </div>
    </Page>
  )
}
