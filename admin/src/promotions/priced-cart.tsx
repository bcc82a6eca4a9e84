import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { type PriceCartMutation, PromotionOfCodeDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Card } from '../ui/states.tsx'

type Payload = NonNullable<PriceCartMutation['createDraftOrder']>
export type Priced = NonNullable<Payload['draftOrder']>

interface Props {
  readonly priced: Priced
  /** The cart isn't the one that was priced any more. */
  readonly isOld: boolean
}

/** What the cart pays, and which promotion has had a part in it. */
export function PricedCart({ priced, isOld }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const { currency } = useShop()
  const sum = (amount: number | null) => (amount === null ? '–' : money(amount, currency))
  const { subtotal, discount, shipping, tax, total, appliedPromotion: applied } = priced
  return (
    <Card title={t('cartPays')}>
      <div role="status" className="stack">
        {isOld && <p className="notice wait">{t('cartChanged')}</p>}
        <span className="sum-big">{sum(total)}</span>
        {applied === null ? (
          <p>{t('noPromotionApplies')}</p>
        ) : (
          <p>
            {t('promotionApplies', {
              name: applied.name,
              amount: money(applied.discountAmount, currency),
            })}{' '}
            <Link href={`/promotions/edit/${applied.promotionId}`}>{t('promotion')}</Link>
          </p>
        )}
        {priced.couponCode !== null && (
          <UnusedCoupon code={priced.couponCode} appliedId={applied?.promotionId} />
        )}
        <dl className="facts">
          <dt>{t('subtotal')}</dt>
          <dd className="number">{sum(subtotal)}</dd>
          <dt>{t('discount')}</dt>
          <dd className="number">{sum(discount === null ? null : 0 - discount)}</dd>
          <dt>{t('shipping')}</dt>
          <dd className="number">{sum(shipping)}</dd>
          <dt>{t('tax')}</dt>
          <dd className="number">{sum(tax)}</dd>
        </dl>
      </div>
    </Card>
  )
}

interface CouponProps {
  readonly code: string
  readonly appliedId: string | undefined
}

/** A draft keeps a coupon that takes nothing off, and doesn't say why. */
function UnusedCoupon({ code, appliedId }: CouponProps): ReactNode {
  const t = useText()
  const { data } = useApi('promotions', PromotionOfCodeDocument, { code })
  if (data === undefined || (data.promotion !== null && data.promotion.id === appliedId)) return null
  return (
    <p className="notice wait">{t(data.promotion === null ? 'noSuchCoupon' : 'couponUnused', { code })}</p>
  )
}
