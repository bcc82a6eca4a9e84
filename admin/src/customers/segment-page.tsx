import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import {
  type CustomerRowFragment,
  SegmentDetailDocument,
  SegmentMembersDocument,
  type SegmentMembersQuery,
  type SegmentPartsFragment,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { usePages } from '../ui/use-pages.ts'
import { ConditionWords } from './condition-words.tsx'
import { useCustomerColumns } from './use-customer-columns.tsx'

/** The customers who are in a segment now. */
export default function SegmentPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('customers', SegmentDetailDocument, { id })
  const segment = data?.customerSegment
  if (segment !== undefined && segment !== null) return <Members segment={segment} />
  return (
    <Page title={t('segment')} back={{ href: '/customers/segments', text: t('segments') }}>
      <div className="card">
        {error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : segment === null ? (
          <Empty icon="search" title={t('noSuchSegment')} text={t('noSuchOrderText')} />
        ) : (
          <Loading lines={8} />
        )}
      </div>
    </Page>
  )
}

/** Of a segment that was deleted meanwhile. */
const nobody = { nodes: [], totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null } }

const connection = ({ customerSegment }: SegmentMembersQuery) => customerSegment?.members ?? nobody
const keyOf = ({ id }: CustomerRowFragment) => id

function Members({ segment }: { readonly segment: SegmentPartsFragment }): ReactNode {
  const t = useText()
  const { id, name } = segment
  const pages = usePages({
    subject: 'customers',
    document: SegmentMembersDocument,
    variables: { id },
    connection,
  })
  const columns = useCustomerColumns()
  return (
    <Page
      title={name}
      back={{ href: '/customers/segments', text: t('segments') }}
      lead={pages.pending ? '…' : t('customersCount', { count: pages.totalCount })}
    >
      <ConditionWords segment={segment} />
      <ListCard
        label={t('segmentMembers')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        empty={<Empty icon="users" title={t('noMembers')} text={t('noMembersText')} />}
      />
    </Page>
  )
}
