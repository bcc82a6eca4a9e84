import '../style/promotions.css'
import { type ReactNode, useState } from 'react'
import { useApi } from '../api/api.ts'
import {
  PromotionCategoriesDocument,
  PromotionProductNameDocument,
  PromotionProductsDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/fields.tsx'
import { fewestLetters, FoundList } from './found-list.tsx'

interface Props {
  readonly ids: readonly string[]
  readonly readOnly: boolean
  readonly onChange: (ids: readonly string[]) => void
}

/** The products that a promotion is for. */
export function ProductScope({ ids, readOnly, onChange }: Props): ReactNode {
  const t = useText()
  const [words, setWords] = useState('')
  const enabled = words.length >= fewestLetters
  const { data } = useApi('products', PromotionProductsDocument, { searchQuery: words }, { enabled })
  const found = data?.products.nodes.map(({ id, name, sku }) => ({ id, text: `${name} · ${sku}` }))
  return (
    <div className="field" role="group" aria-label={t('onlyProducts')}>
      <span className="label">{t('onlyProducts')}</span>
      {ids.length === 0 && <span className="hint">{t('allProducts')}</span>}
      <div className="chips">
        {ids.map((id) => (
          <ChosenProduct
            key={id}
            id={id}
            readOnly={readOnly}
            onRemove={() => onChange(ids.filter((each) => each !== id))}
          />
        ))}
      </div>
      {!readOnly && (
        <FoundList
          label={t('searchProducts')}
          words={words}
          onWords={setWords}
          found={enabled ? found : undefined}
          onChoose={(id) => onChange([...new Set([...ids, id])])}
        />
      )}
    </div>
  )
}

interface ChosenProps {
  readonly id: string
  readonly readOnly: boolean
  readonly onRemove: () => void
}

function ChosenProduct({ id, readOnly, onRemove }: ChosenProps): ReactNode {
  const { data } = useApi('products', PromotionProductNameDocument, { id })
  const name = data === undefined ? '…' : (data.product?.name ?? id)
  return <Chosen name={name} readOnly={readOnly} onRemove={onRemove} />
}

export function Chosen({
  name,
  readOnly,
  onRemove,
}: Omit<ChosenProps, 'id'> & { readonly name: string }): ReactNode {
  const t = useText()
  return readOnly ? (
    <span>{name}</span>
  ) : (
    <Button icon="x" aria-label={t('removeNamed', { name })} onPress={onRemove}>
      {name}
    </Button>
  )
}

/** The categories that a promotion is for. */
export function CategoryScope({ ids, readOnly, onChange }: Props): ReactNode {
  const t = useText()
  const { data } = useApi('products', PromotionCategoriesDocument, {})
  const categories = data?.categories.nodes ?? []
  const left = categories.filter(({ id }) => !ids.includes(id))
  return (
    <div className="field" role="group" aria-label={t('onlyCategories')}>
      <span className="label">{t('onlyCategories')}</span>
      {ids.length === 0 && <span className="hint">{t('allCategories')}</span>}
      <div className="chips">
        {ids.map((id) => (
          <Chosen
            key={id}
            name={categories.find((each) => each.id === id)?.name ?? id}
            readOnly={readOnly}
            onRemove={() => onChange(ids.filter((each) => each !== id))}
          />
        ))}
      </div>
      {!readOnly && left.length > 0 && (
        <Select
          label={t('addCategory')}
          labelHidden
          value=""
          onChange={(id) => id !== '' && onChange([...ids, id])}
          choices={[{ id: '', text: t('addCategory') }, ...left.map(({ id, name }) => ({ id, text: name }))]}
        />
      )}
    </div>
  )
}
