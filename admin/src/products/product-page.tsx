import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import { unitsOf } from '../format/format.ts'
import {
  ProductDetailDocument,
  type ProductDetailQuery,
  type ProductStatus,
  UpdateProductDocument,
  type UpdateProductInput,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card, Empty, Failed, Loading, Thumb } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { productStatuses } from './product-names.ts'
import { StockCard, VariantsCard } from './product-stock.tsx'

export type Product = NonNullable<ProductDetailQuery['product']>

export default function ProductPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('products', ProductDetailDocument, { id })
  const back = { href: '/products', text: t('products') }
  const product = data?.product
  if (product === undefined || product === null)
    return (
      <Page title={t('product')} back={back}>
        <div className="card">
          {error ? (
            <Failed error={error} retry={() => void refetch()} />
          ) : product === null ? (
            <Empty icon="search" title={t('noSuchProduct')} text={t('noSuchOrderText')} />
          ) : (
            <Loading lines={8} />
          )}
        </div>
      </Page>
    )
  return (
    <Page
      title={product.name}
      back={back}
      lead={product.sku}
      badges={<StatusBadge status={productStatuses[product.status]} />}
    >
      <div className="split">
        <div className="stack">
          {/* Saved by somebody else, it is another form: what is typed would be lost, so the form says so first. */}
          <Editor product={product} />
          <VariantsCard product={product} />
        </div>
        <div className="stack">
          <Images product={product} />
          <StockCard product={product} />
        </div>
      </div>
    </Page>
  )
}

const fields = [
  'name',
  'description',
  'price',
  'compareAtPrice',
  'status',
  'slug',
  'seoTitle',
  'seoDescription',
]

/** The values of the form, as one types them. */
interface Draft {
  readonly name: string
  readonly description: string
  readonly price: number
  readonly status: ProductStatus
  readonly slug: string
  readonly seoTitle: string
  readonly seoDescription: string
}

const draftOf = (product: Product): Draft => ({
  name: product.name,
  description: product.description ?? '',
  price: product.price / unitsOf(product.currency),
  status: product.status,
  slug: product.slug,
  seoTitle: product.seoTitle ?? '',
  seoDescription: product.seoDescription ?? '',
})

/** What differs from what was loaded: nothing else is sent, so nobody's change to another field is undone. */
function changesOf(draft: Draft, loaded: Product): UpdateProductInput {
  const before = draftOf(loaded)
  const changed = (name: keyof Draft) => draft[name] !== before[name]
  return {
    ...(changed('name') && { name: draft.name }),
    ...(changed('description') && { description: draft.description }),
    ...(changed('price') && { price: Math.round(draft.price * unitsOf(loaded.currency)) }),
    ...(changed('status') && { status: draft.status }),
    ...(changed('slug') && { slug: draft.slug }),
    ...(changed('seoTitle') && { seoTitle: draft.seoTitle }),
    ...(changed('seoDescription') && { seoDescription: draft.seoDescription }),
  }
}

function Editor({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  const mayWrite = useMay('products:write')
  const [loaded, setLoaded] = useState(product)
  const [draft, setDraft] = useState(() => draftOf(product))
  const { run, error, pending } = useChange(UpdateProductDocument, ['products', 'home'])
  const faults = faultsOf(error, fields)
  const input = changesOf(draft, loaded)
  const isChanged = Object.keys(input).length > 0
  const isOld = loaded.updatedAt !== product.updatedAt
  if (isOld && !isChanged) reload()
  function reload(): void {
    setLoaded(product)
    setDraft(draftOf(product))
  }
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const submit = async () => {
    if ((await run({ id: product.id, input })) !== null) tell(t('saved'))
  }
  const statuses = Object.entries(productStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  return (
    <Card title={t('details')}>
      <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
        {faults.general !== null && <Fault text={faults.general} />}
        {isOld && isChanged && (
          <div className="notice wait between" role="alert">
            <p>{t('changedMeanwhile')}</p>
            <Button onPress={reload}>{t('loadAgain')}</Button>
          </div>
        )}
        <TextField
          name="name"
          label={t('name')}
          value={draft.name}
          onChange={(name) => set({ name })}
          isReadOnly={!mayWrite}
          isRequired
        />
        <TextField
          name="description"
          label={t('description')}
          multiline
          value={draft.description}
          onChange={(description) => set({ description })}
          isReadOnly={!mayWrite}
        />
        <div className="columns">
          <NumberField
            name="price"
            label={t('price')}
            value={draft.price}
            minValue={0}
            step={1 / unitsOf(product.currency)}
            formatOptions={{ style: 'currency', currency: product.currency }}
            onChange={(price) => set({ price })}
            isReadOnly={!mayWrite}
          />
          <Select
            name="status"
            label={t('status')}
            value={draft.status}
            onChange={(status) => set({ status: status as ProductStatus })}
            choices={statuses}
          />
        </div>
        <TextField
          name="slug"
          label={t('slug')}
          hint={t('slugHint')}
          value={draft.slug}
          onChange={(slug) => set({ slug })}
          isReadOnly={!mayWrite}
        />
        <div className="columns">
          <TextField
            name="seoTitle"
            label={t('seoTitle')}
            value={draft.seoTitle}
            onChange={(seoTitle) => set({ seoTitle })}
            isReadOnly={!mayWrite}
          />
          <TextField
            name="seoDescription"
            label={t('seoDescription')}
            value={draft.seoDescription}
            onChange={(seoDescription) => set({ seoDescription })}
            isReadOnly={!mayWrite}
          />
        </div>
        {mayWrite && (
          <div className="chips">
            <Button type="submit" look="primary" isDisabled={!isChanged || pending}>
              {pending ? t('sending') : t('save')}
            </Button>
            {isChanged && (
              <Button look="quiet" onPress={() => setDraft(draftOf(loaded))}>
                {t('undo')}
              </Button>
            )}
          </div>
        )}
      </ServerForm>
    </Card>
  )
}

function Images({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  return (
    <Card title={t('images')}>
      {product.images.length === 0 ? (
        <p className="muted">{t('noImages')}</p>
      ) : (
        <div className="images">
          {product.images.map(({ id, url }) => (
            <Thumb key={id} url={url} />
          ))}
        </div>
      )}
    </Card>
  )
}
