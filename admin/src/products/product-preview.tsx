import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import { unitsOf } from '../format/money.ts'
import { useText } from '../language/language.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Thumb } from '../ui/states.tsx'
import type { ProductDraft } from './product-draft.ts'
import type { Product } from './product-page.tsx'
import { optionNames } from './variant-options.ts'

interface Props {
  readonly product: Product
  readonly draft: ProductDraft
  readonly onClose: () => void
}

/** What shoppers get to see, with what is typed and not saved yet. How it looks is up to the shop's own pages. */
export function ProductPreview({ product, draft, onClose }: Props): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const amount = (value: number) => money(Math.round(value * unitsOf(product.currency)), product.currency)
  const [first, ...others] = product.images
  return (
    <Dialog title={t('preview')} onClose={onClose}>
      <div className="body">
        <p className="muted small">{t('previewText')}</p>
        <div className="columns">
          <div className="form">
            {first && <img className="big-picture" src={first.url} alt={first.alt ?? ''} />}
            <div className="images">
              {others.map(({ id, url }) => (
                <Thumb key={id} url={url} />
              ))}
            </div>
          </div>
          <div className="form">
            <h2>{draft.name}</h2>
            <p className="sum-big">
              {!Number.isNaN(draft.price) && amount(draft.price)}{' '}
              {!Number.isNaN(draft.compareAtPrice) && (
                <s className="small muted">
                  <span className="hidden">{t('compareAtPrice')}: </span>
                  {amount(draft.compareAtPrice)}
                </s>
              )}
            </p>
            {optionNames(product.variants).map((name) => (
              <div key={name}>
                <h3>{name}</h3>
                <div className="chips">
                  {[
                    ...new Set(
                      product.variants.flatMap(({ options }) =>
                        options.filter((each) => each.name === name).map(({ value }) => value),
                      ),
                    ),
                  ].map((value) => (
                    <span key={value} className="chip">
                      {value}
                    </span>
                  ))}
                </div>
              </div>
            ))}
            <p className="pre">{draft.description}</p>
          </div>
        </div>
        <section className="search-result" aria-label={t('searchResult')}>
          <p className="small muted">/{draft.slug}</p>
          <p className="strong">{draft.seoTitle || draft.name}</p>
          <p className="small">{draft.seoDescription || draft.description.slice(0, 160)}</p>
        </section>
      </div>
    </Dialog>
  )
}
