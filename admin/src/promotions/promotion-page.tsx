import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { unitsOf } from '../format/money.ts'
import {
  CreatePromotionDocument,
  DeletePromotionDocument,
  PromotionDetailDocument,
  UpdatePromotionDocument,
  type UpdatePromotionInput,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import {
  changesOf,
  draftOf,
  inputOf,
  type LoadedPromotion,
  newDraft,
  type ShopUnits,
} from './promotion-draft.ts'
import { PromotionForm } from './promotion-form.tsx'
import { promotionStatuses, useDiscountInWords } from './promotion-names.ts'

function useShopUnits(): ShopUnits {
  const { currency, timeZone } = useShop()
  return { units: unitsOf(currency), timeZone }
}

/** A promotion, or a new one. */
export default function PromotionPage({ id }: { readonly id: string | null }): ReactNode {
  return id === null ? <NewPromotion /> : <KnownPromotion id={id} />
}

function NewPromotion(): ReactNode {
  const t = useText()
  const shop = useShopUnits()
  const [, go] = useLocation()
  const [draft, setDraft] = useState(() => newDraft(shop, Date.now()))
  const { run, error, pending } = useChange(CreatePromotionDocument, ['promotions'])
  const input = inputOf(draft, shop)
  const submit = async () => {
    if (input === null) return
    const id = (await run({ input }))?.createPromotion?.promotion?.id
    if (id === undefined) return
    tell(t('promotionCreated', { name: draft.name }))
    go(`/promotions/edit/${id}`)
  }
  return (
    <Page title={t('newPromotion')} back={{ href: '/promotions', text: t('promotions') }} narrow>
      <PromotionForm
        draft={draft}
        onChange={setDraft}
        readOnly={false}
        error={error}
        pending={pending}
        disabled={input === null}
        onSubmit={() => void submit()}
      />
    </Page>
  )
}

function KnownPromotion({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('promotions', PromotionDetailDocument, { id })
  const promotion = data?.promotion
  if (promotion !== undefined && promotion !== null) return <Editor promotion={promotion} />
  return (
    <Page title={t('promotion')} back={{ href: '/promotions', text: t('promotions') }}>
      <div className="card">
        {error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : promotion === null ? (
          <Empty icon="search" title={t('noSuchPromotion')} text={t('noSuchOrderText')} />
        ) : (
          <Loading lines={8} />
        )}
      </div>
    </Page>
  )
}

const hasChanges = (changes: UpdatePromotionInput | null): boolean =>
  changes === null || Object.keys(changes).length > 0

function Editor({ promotion }: { readonly promotion: LoadedPromotion }): ReactNode {
  const t = useText()
  const shop = useShopUnits()
  const mayWrite = useMay('promotions:write')
  const [loaded, setLoaded] = useState(promotion)
  const [draft, setDraft] = useState(() => draftOf(promotion, shop))
  const [, go] = useLocation()
  const [deleting, setDeleting] = useState(false)
  const { run, error, pending } = useChange(UpdatePromotionDocument, ['promotions'])
  const changes = changesOf(draft, draftOf(loaded, shop), shop)
  const isChanged = hasChanges(changes)
  const isOld = loaded.updatedAt !== promotion.updatedAt
  // What was saved comes back as it was typed.
  if (isOld && (!isChanged || !hasChanges(changesOf(draft, draftOf(promotion, shop), shop)))) reload()
  function reload(): void {
    setLoaded(promotion)
    setDraft(draftOf(promotion, shop))
  }
  const submit = async () => {
    if (changes === null) return
    if ((await run({ id: promotion.id, input: changes })) !== null) tell(t('saved'))
  }
  return (
    <Page
      title={promotion.name}
      back={{ href: '/promotions', text: t('promotions') }}
      badges={<StatusBadge status={promotionStatuses[promotion.status]} />}
      actions={mayWrite && <Button onPress={() => setDeleting(true)}>{t('delete')}</Button>}
    >
      <div className="split">
        <PromotionForm
          draft={draft}
          onChange={setDraft}
          readOnly={!mayWrite}
          error={error}
          pending={pending}
          disabled={!isChanged || changes === null}
          onSubmit={() => void submit()}
          {...(isChanged && { onUndo: () => setDraft(draftOf(loaded, shop)) })}
          {...(isOld && isChanged && { onReload: reload })}
        />
        <Effect promotion={promotion} />
      </div>
      {deleting && (
        <ConfirmDialog
          title={t('deleteNamed', { name: promotion.name })}
          lead={t('deletePromotionLead')}
          submit={t('delete')}
          danger
          document={DeletePromotionDocument}
          variables={{ id: promotion.id }}
          subjects={['promotions']}
          done={t('promotionDeleted', { name: promotion.name })}
          onDone={() => go('/promotions', { replace: true })}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  )
}

/** What it does now, as it is saved. */
function Effect({ promotion }: { readonly promotion: LoadedPromotion }): ReactNode {
  const t = useText()
  const { dateTime, number } = useFormat()
  const inWords = useDiscountInWords()
  const { code, startDate, endDate, usageCount, usageLimit, conditions } = promotion
  const customers = conditions?.customerIds?.length ?? 0
  return (
    <Card title={t('effect')}>
      <span className="sum-big">{inWords(promotion)}</span>
      <dl className="facts">
        <dt>{t('couponCode')}</dt>
        <dd>{code ?? t('appliesByItself')}</dd>
        <dt>{t('begins')}</dt>
        <dd>{dateTime(startDate)}</dd>
        <dt>{t('ends')}</dt>
        <dd>{dateTime(endDate)}</dd>
        <dt>{t('used')}</dt>
        <dd className="number">
          {usageLimit === null
            ? number(usageCount)
            : t('usedOf', { count: number(usageCount), limit: number(usageLimit) })}
        </dd>
      </dl>
      {customers > 0 && <p className="small muted">{t('chosenCustomers', { count: customers })}</p>}
      <p className="small muted">{t('onePromotion')}</p>
    </Card>
  )
}
