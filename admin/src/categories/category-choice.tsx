import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { Checkbox } from '../ui/fields.tsx'
import { flatten, treeOf } from './category-tree.ts'
import { useCategories } from './use-categories.ts'

interface Props {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly isReadOnly: boolean
}

/** The categories that a product stands in, by a box for each. */
export function CategoryChoice({ chosen, onChange, isReadOnly }: Props): ReactNode {
  const t = useText()
  const { data } = useCategories()
  if (data === undefined || data.length === 0) return null
  return (
    <fieldset className="choices">
      <legend>{t('categories')}</legend>
      <div className="choice-list">
        {flatten(treeOf(data)).map(({ item, depth }) => (
          <div key={item.id} className="choice" data-depth={Math.min(depth, 5)}>
            <Checkbox
              isSelected={chosen.includes(item.id)}
              isReadOnly={isReadOnly}
              onChange={(on) =>
                onChange(on ? [...chosen, item.id] : chosen.filter((each) => each !== item.id))
              }
            >
              {item.name}
            </Checkbox>
          </div>
        ))}
      </div>
    </fieldset>
  )
}
