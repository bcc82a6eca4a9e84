import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useApi } from '../api/api.ts'
import {
  DeleteSegmentDocument,
  SegmentListDocument,
  type SegmentPartsFragment,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Empty, Failed, Loading } from '../ui/states.tsx'
import { ConditionWords } from './condition-words.tsx'
import { CustomerTabs } from './customer-tabs.tsx'
import { SegmentDialog } from './segment-dialog.tsx'

/** Customers by what they have in common, for promotions and campaigns. */
export default function SegmentsPage(): ReactNode {
  const t = useText()
  const mayWrite = useMay('customers:write')
  const [adding, setAdding] = useState(false)
  const { data, error, refetch } = useApi('customers', SegmentListDocument, {})
  const segments = data?.customerSegments.nodes ?? []
  return (
    <Page
      title={t('segments')}
      lead={t('segmentsLead')}
      actions={
        mayWrite && (
          <Button icon="plus" look="primary" onPress={() => setAdding(true)}>
            {t('addSegment')}
          </Button>
        )
      }
    >
      <CustomerTabs at="segments" />
      <div className="card">
        {error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading />
        ) : segments.length === 0 ? (
          <Empty icon="funnel" title={t('noSegments')} text={t('noSegmentsText')} />
        ) : (
          <ul className="inside">
            {segments.map((segment) => (
              <SegmentRow key={segment.id} segment={segment} mayWrite={mayWrite} />
            ))}
          </ul>
        )}
      </div>
      {adding && <SegmentDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

interface RowProps {
  readonly segment: SegmentPartsFragment
  readonly mayWrite: boolean
}

function SegmentRow({ segment, mayWrite }: RowProps): ReactNode {
  const t = useText()
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const { id, name, memberCount } = segment
  const close = () => setOpen(null)
  return (
    <li className="parcel">
      <div className="between">
        <h2>
          <Link href={`/customers/segments/${id}`}>{name}</Link>
        </h2>
        <Badge tone="info">{t('customersCount', { count: memberCount })}</Badge>
      </div>
      <ConditionWords segment={segment} />
      {mayWrite && (
        <div className="chips">
          <Button aria-label={t('segmentTitle', { name })} onPress={() => setOpen('edit')}>
            {t('changeSegment')}
          </Button>
          <Button
            look="quiet"
            aria-label={t('deleteSegmentTitle', { name })}
            onPress={() => setOpen('delete')}
          >
            {t('deleteSegment')}
          </Button>
        </div>
      )}
      {open === 'edit' && <SegmentDialog segment={segment} onClose={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          title={t('deleteSegmentTitle', { name })}
          lead={t('deleteSegmentLead')}
          submit={t('deleteSegment')}
          danger
          document={DeleteSegmentDocument}
          variables={{ id }}
          subjects={['customers']}
          done={t('segmentDeleted', { name })}
          onClose={close}
        />
      )}
    </li>
  )
}
