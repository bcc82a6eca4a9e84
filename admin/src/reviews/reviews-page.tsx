import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  ModerateReviewDocument,
  PromotionProductNameDocument,
  ReviewListDocument,
  type ReviewListQuery,
  type ReviewStatus,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Select } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { useFilters } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'

type Review = ReviewListQuery['reviews']['nodes'][number]

const reviewStatuses = {
  PENDING: { tone: 'wait', name: 'reviewPending' },
  APPROVED: { tone: 'good', name: 'reviewApproved' },
  REJECTED: { tone: 'bad', name: 'reviewRejected' },
} as const satisfies Record<ReviewStatus, StatusName>

const filterNames = ['status'] as const
const connection = ({ reviews }: ReviewListQuery) => reviews

/** What customers have written, and whether shoppers see it. Those that nobody has looked at come first. */
export default function ReviewsPage(): ReactNode {
  const t = useText()
  const [filters, change] = useFilters(filterNames)
  const status = filters.status === '' ? 'PENDING' : filters.status
  const pages = usePages({
    subject: 'reviews',
    document: ReviewListDocument,
    variables: { filters: status in reviewStatuses ? { status: status as ReviewStatus } : {} },
    connection,
  })
  const statuses = Object.entries(reviewStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  return (
    <Page title={t('reviews')} lead={pages.pending ? '…' : t('reviewsCount', { count: pages.totalCount })}>
      <div className="card">
        <div className="filters">
          <Select
            label={t('status')}
            labelHidden
            value={status}
            onChange={(next) => change({ status: next })}
            choices={[...statuses, { id: 'all', text: t('allStatuses') }]}
          />
        </div>
        {pages.error !== null ? (
          <Failed error={pages.error} retry={pages.retry} />
        ) : pages.pending ? (
          <Loading lines={8} />
        ) : pages.rows.length === 0 ? (
          <Empty icon="star" title={t('noReviews')} text={t('noReviewsText')} />
        ) : (
          <div className="inside">
            <ul>
              {pages.rows.map((review) => (
                <ReviewItem key={review.id} review={review} />
              ))}
            </ul>
            {pages.hasMore && (
              <Button onPress={pages.loadMore} isDisabled={pages.loading}>
                {t('showMore', { count: pages.rows.length, total: pages.totalCount })}
              </Button>
            )}
          </div>
        )}
      </div>
    </Page>
  )
}

function ReviewItem({ review }: { readonly review: Review }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const mayWrite = useMay('products:write')
  const { run, error, pending } = useChange(ModerateReviewDocument, ['reviews'])
  const { data } = useApi('products', PromotionProductNameDocument, { id: review.productId })
  const name = data?.product?.name ?? '…'
  const decide = async (status: ReviewStatus) => {
    if ((await run({ id: review.id, input: { status } })) !== null)
      tell(t('reviewIsNow', { author: review.authorName, status: t(reviewStatuses[status].name) }))
  }
  const decision = (status: ReviewStatus, text: string) =>
    review.status !== status && (
      <Button isDisabled={pending} onPress={() => void decide(status)}>
        {text}
      </Button>
    )
  return (
    <li className="parcel" aria-label={t('reviewBy', { author: review.authorName, name })}>
      <div className="between">
        <span>
          <span className="strong">{t('stars', { count: review.rating })}</span>
          {review.title !== null && ` · ${review.title}`}
        </span>
        <StatusBadge status={reviewStatuses[review.status]} />
      </div>
      {review.body !== null && <p className="note">{review.body}</p>}
      <div className="between small">
        <span className="muted">
          {review.authorName} · {dateTime(review.createdAt)}
          {review.verifiedPurchase && ` · ${t('verifiedPurchase')}`} ·{' '}
          <Link href={`/products/${review.productId}`}>{name}</Link>
        </span>
        {mayWrite && (
          <span className="chips">
            {decision('APPROVED', t('showReview'))}
            {decision('REJECTED', t('hideReview'))}
            {review.status !== 'PENDING' && decision('PENDING', t('undo'))}
          </span>
        )}
      </div>
      {error && <Fault text={reasonOf(error)} />}
    </li>
  )
}
