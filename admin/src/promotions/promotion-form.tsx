import type { RequestError } from '@commerce-graph/client'
import { type ReactNode, useState } from 'react'
import { useApi } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { type DiscountType, PromotionGroupsDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Checkbox, NumberField, Select, TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card } from '../ui/states.tsx'
import { CustomerScope } from './customer-scope.tsx'
import type { PromotionDraft } from './promotion-draft.ts'
import { PromotionGroupDialog } from './promotion-group-dialog.tsx'
import { discountTypes } from './promotion-names.ts'
import { CategoryScope, ProductScope } from './promotion-scope.tsx'

const fields = [
  'name',
  'description',
  'code',
  'discountType',
  'discountValue',
  'startDate',
  'endDate',
  'usageLimit',
  'campaignId',
  'conditions.minPurchaseAmount',
  'conditions.maxDiscountAmount',
]

interface Props {
  readonly draft: PromotionDraft
  readonly onChange: (draft: PromotionDraft) => void
  readonly readOnly: boolean
  readonly error: RequestError | null
  readonly pending: boolean
  readonly disabled: boolean
  readonly onSubmit: () => void
  readonly onUndo?: () => void
  /** Somebody else has saved it meanwhile. */
  readonly onReload?: () => void
}

export function PromotionForm({
  draft,
  onChange,
  readOnly,
  error,
  pending,
  disabled,
  onSubmit,
  onUndo,
  onReload,
}: Props): ReactNode {
  const t = useText()
  const faults = faultsOf(error, fields)
  const set = (part: Partial<PromotionDraft>) => onChange({ ...draft, ...part })
  const part = { draft, set, readOnly }
  return (
    <ServerForm className="form stack" errors={faults.fields} onSubmit={onSubmit}>
      {faults.general !== null && <Fault text={faults.general} />}
      {onReload && (
        <div className="notice wait between" role="alert">
          <p>{t('changedMeanwhilePromotion')}</p>
          <Button onPress={onReload}>{t('loadAgain')}</Button>
        </div>
      )}
      <Card title={t('discount')}>
        <Terms {...part} />
      </Card>
      <Card title={t('conditions')}>
        <Conditions {...part} />
      </Card>
      {!readOnly && (
        <div className="chips">
          <Button type="submit" look="primary" isDisabled={disabled || pending}>
            {pending ? t('sending') : t('save')}
          </Button>
          {onUndo && (
            <Button look="quiet" onPress={onUndo}>
              {t('undo')}
            </Button>
          )}
        </div>
      )}
    </ServerForm>
  )
}

interface PartProps {
  readonly draft: PromotionDraft
  readonly set: (part: Partial<PromotionDraft>) => void
  readonly readOnly: boolean
}

function Terms({ draft, set, readOnly }: PartProps): ReactNode {
  const t = useText()
  const types = Object.entries(discountTypes).map(([id, name]) => ({ id, text: t(name) }))
  return (
    <>
      <TextField
        name="name"
        label={t('name')}
        value={draft.name}
        onChange={(name) => set({ name })}
        isReadOnly={readOnly}
        isRequired
      />
      <TextField
        name="code"
        label={t('couponCode')}
        hint={t('couponCodeHint')}
        value={draft.code}
        onChange={(code) => set({ code })}
        isReadOnly={readOnly}
      />
      <div className="columns">
        <Select
          name="discountType"
          label={t('kind')}
          value={draft.discountType}
          onChange={(type) => set({ discountType: type as DiscountType })}
          choices={types}
        />
        <Value draft={draft} set={set} readOnly={readOnly} />
      </div>
      <Period draft={draft} set={set} readOnly={readOnly} />
      <Group draft={draft} set={set} readOnly={readOnly} />
      <TextField
        name="description"
        label={t('description')}
        multiline
        value={draft.description}
        onChange={(description) => set({ description })}
        isReadOnly={readOnly}
      />
      <Checkbox isSelected={draft.disabled} onChange={(off) => set({ disabled: off })} isReadOnly={readOnly}>
        {t('switchOff')}
      </Checkbox>
    </>
  )
}

function Value({ draft, set, readOnly }: PartProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const common = {
    name: 'discountValue',
    value: draft.value,
    onChange: (value: number) => set({ value }),
    isReadOnly: readOnly,
    isRequired: true,
  }
  switch (draft.discountType) {
    case 'PERCENTAGE':
      return <NumberField {...common} label={t('percent')} minValue={1} maxValue={100} step={1} />
    case 'FIXED_AMOUNT':
      return (
        <NumberField
          {...common}
          label={t('amount')}
          minValue={1 / unitsOf(currency)}
          step={1 / unitsOf(currency)}
          formatOptions={moneyOptions(currency)}
        />
      )
    default:
      return null
  }
}

function Period({ draft, set, readOnly }: PartProps): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  return (
    <div className="columns">
      <TextField
        name="startDate"
        type="datetime-local"
        label={t('begins')}
        hint={t('shopTime', { zone: timeZone })}
        value={draft.start}
        onChange={(start) => set({ start })}
        isReadOnly={readOnly}
        isRequired
      />
      <TextField
        name="endDate"
        type="datetime-local"
        label={t('ends')}
        value={draft.end}
        onChange={(end) => set({ end })}
        isReadOnly={readOnly}
        isRequired
      />
    </div>
  )
}

/** The API calls it a campaign; here that word is for e-mails. */
function Group({ draft, set, readOnly }: PartProps): ReactNode {
  const t = useText()
  const [adding, setAdding] = useState(false)
  const { data } = useApi('promotions', PromotionGroupsDocument, {})
  const groups = data?.promotionCampaigns.nodes ?? []
  return (
    <div className="between">
      <Select
        name="campaignId"
        label={t('promotionGroup')}
        hint={t('promotionGroupHint')}
        value={draft.campaignId}
        onChange={(campaignId) => set({ campaignId })}
        choices={[
          { id: '', text: t('noPromotionGroup') },
          ...groups.map(({ id, name }) => ({ id, text: name })),
        ]}
      />
      {!readOnly && (
        <Button icon="plus" onPress={() => setAdding(true)}>
          {t('newGroup')}
        </Button>
      )}
      {adding && (
        <PromotionGroupDialog
          onClose={() => setAdding(false)}
          onCreated={(campaignId) => set({ campaignId })}
        />
      )}
    </div>
  )
}

function Conditions({ draft, set, readOnly }: PartProps): ReactNode {
  const t = useText()
  const { currency } = useShop()
  const money = {
    minValue: 0,
    step: 1 / unitsOf(currency),
    formatOptions: moneyOptions(currency),
    isReadOnly: readOnly,
  }
  return (
    <>
      <p className="small muted">{t('conditionsLead')}</p>
      <div className="columns">
        <NumberField
          {...money}
          name="conditions.minPurchaseAmount"
          label={t('minPurchase')}
          value={draft.minPurchase}
          onChange={(minPurchase) => set({ minPurchase })}
        />
        <NumberField
          {...money}
          name="conditions.maxDiscountAmount"
          label={t('maxDiscount')}
          value={draft.maxDiscount}
          onChange={(maxDiscount) => set({ maxDiscount })}
        />
      </div>
      <NumberField
        name="usageLimit"
        label={t('usageLimit')}
        minValue={1}
        step={1}
        value={draft.usageLimit}
        onChange={(usageLimit) => set({ usageLimit })}
        isReadOnly={readOnly}
      />
      <ProductScope
        ids={draft.productIds}
        readOnly={readOnly}
        onChange={(productIds) => set({ productIds })}
      />
      <CategoryScope
        ids={draft.categoryIds}
        readOnly={readOnly}
        onChange={(categoryIds) => set({ categoryIds })}
      />
      <CustomerScope
        ids={draft.customerIds}
        readOnly={readOnly}
        onChange={(customerIds) => set({ customerIds })}
      />
      <Checkbox
        isSelected={draft.firstOrderOnly}
        onChange={(firstOrderOnly) => set({ firstOrderOnly })}
        isReadOnly={readOnly}
      >
        {t('firstOrderOnly')}
      </Checkbox>
    </>
  )
}
