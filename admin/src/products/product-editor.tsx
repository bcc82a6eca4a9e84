import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CategoryChoice } from '../categories/category-choice.tsx'
import { moneyOptions, unitsOf } from '../format/money.ts'
import { type ProductStatus, UpdateProductDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { DraftForm } from '../ui/draft-form.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { draftFields, draftOf, inputOf, type ProductDraft } from './product-draft.ts'
import { productStatuses } from './product-names.ts'
import type { Product } from './product-page.tsx'
import { ProductPreview } from './product-preview.tsx'

/** What is in the shop about a product. If somebody else has saved it meanwhile, the form says so, and keeps what is typed. */
export function ProductEditor({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  const mayWrite = useMay('products:write')
  const form = useDraft(draftOf(product))
  const { draft, set, changed } = form
  const [previewing, setPreviewing] = useState(false)
  const { run, error, pending } = useChange(UpdateProductDocument, ['products', 'categories', 'home'])
  const input = inputOf(changed, product.currency)
  const submit = async () => {
    if ((await run({ id: product.id, input })) !== null) tell(t('saved'))
  }
  return (
    <Card
      title={t('details')}
      actions={
        <Button icon="eye" onPress={() => setPreviewing(true)}>
          {t('preview')}
        </Button>
      }
    >
      <DraftForm
        draft={form}
        fields={draftFields}
        error={error}
        pending={pending}
        mayWrite={mayWrite}
        oldText="changedMeanwhile"
        onSubmit={() => void submit()}
      >
        <DraftFields draft={draft} set={set} currency={product.currency} isReadOnly={!mayWrite} />
      </DraftForm>
      {previewing && <ProductPreview product={product} draft={draft} onClose={() => setPreviewing(false)} />}
    </Card>
  )
}

interface FieldsProps {
  readonly draft: ProductDraft
  readonly set: (part: Partial<ProductDraft>) => void
  readonly currency: string
  readonly isReadOnly: boolean
}

function DraftFields({ draft, set, currency, isReadOnly }: FieldsProps): ReactNode {
  const t = useText()
  const statuses = Object.entries(productStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  const money = {
    minValue: 0,
    step: 1 / unitsOf(currency),
    formatOptions: moneyOptions(currency),
    isReadOnly,
  } as const
  return (
    <>
      <TextField
        name="name"
        label={t('name')}
        value={draft.name}
        onChange={(name) => set({ name })}
        isReadOnly={isReadOnly}
        isRequired
      />
      <TextField
        name="description"
        label={t('description')}
        multiline
        value={draft.description}
        onChange={(description) => set({ description })}
        isReadOnly={isReadOnly}
      />
      <div className="columns">
        <NumberField
          {...money}
          name="price"
          label={t('price')}
          value={draft.price}
          onChange={(price) => set({ price })}
          isRequired
        />
        <NumberField
          {...money}
          name="compareAtPrice"
          label={t('compareAtPrice')}
          hint={t('compareAtPriceHint')}
          value={draft.compareAtPrice}
          onChange={(compareAtPrice) => set({ compareAtPrice })}
        />
        <Select
          name="status"
          label={t('status')}
          value={draft.status}
          onChange={(status) => set({ status: status as ProductStatus })}
          choices={statuses}
        />
      </div>
      <CategoryChoice
        chosen={draft.categoryIds}
        onChange={(categoryIds) => set({ categoryIds })}
        isReadOnly={isReadOnly}
      />
      <div className="columns">
        <TextField
          name="tags"
          label={t('tags')}
          hint={t('tagsHint')}
          value={draft.tags}
          onChange={(tags) => set({ tags })}
          isReadOnly={isReadOnly}
        />
        <TextField
          name="slug"
          label={t('slug')}
          hint={t('slugHint')}
          value={draft.slug}
          onChange={(slug) => set({ slug })}
          isReadOnly={isReadOnly}
        />
      </div>
      <div className="columns">
        <TextField
          name="seoTitle"
          label={t('seoTitle')}
          value={draft.seoTitle}
          onChange={(seoTitle) => set({ seoTitle })}
          isReadOnly={isReadOnly}
        />
        <TextField
          name="seoDescription"
          label={t('seoDescription')}
          value={draft.seoDescription}
          onChange={(seoDescription) => set({ seoDescription })}
          isReadOnly={isReadOnly}
        />
      </div>
    </>
  )
}
