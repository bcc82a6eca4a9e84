import './products.css'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { useApi } from '../api/api.ts'
import {
  DeleteProductDocument,
  ProductDetailDocument,
  type ProductDetailQuery,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { ProductEditor } from './product-editor.tsx'
import { ProductImages } from './product-images.tsx'
import { productStatuses } from './product-names.ts'
import { StockCard } from './product-stock.tsx'
import { VariantsCard } from './variants-card.tsx'

export type Product = NonNullable<ProductDetailQuery['product']>

export default function ProductPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const mayWrite = useMay('products:write')
  const [deleting, setDeleting] = useState(false)
  const { data, error, refetch } = useApi('products', ProductDetailDocument, { id })
  const [, navigate] = useLocation()
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
      actions={
        mayWrite && (
          <Button icon="trash" onPress={() => setDeleting(true)}>
            {t('deleteProduct')}
          </Button>
        )
      }
    >
      <div className="split">
        <div className="stack">
          <ProductEditor product={product} />
          <VariantsCard product={product} />
        </div>
        <div className="stack">
          <ProductImages product={product} />
          <StockCard product={product} />
        </div>
      </div>
      {deleting && (
        <ConfirmDialog
          title={t('deleteProduct')}
          lead={t('deleteProductText', { name: product.name })}
          submit={t('deleteProduct')}
          danger
          document={DeleteProductDocument}
          variables={{ id }}
          // The page of the product would be asked again before it is left, and say that there is none.
          subjects={[]}
          done={t('productDeleted', { name: product.name })}
          onDone={() => navigate(back.href)}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  )
}
