import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { SearchField } from '../ui/fields.tsx'
import { useTyped } from '../ui/use-filters.ts'

interface Found {
  readonly id: string
  readonly text: string
}

interface Props {
  readonly label: string
  readonly words: string
  readonly onWords: (words: string) => void
  /** What matches the words; undefined while it is asked. */
  readonly found: readonly Found[] | undefined
  readonly onChoose: (id: string) => void
}

/** Letters that the API's searches take. */
export const fewestLetters = 2

/** A search whose results are chosen by a press, one after the other. */
export function FoundList({ label, words, onWords, found, onChoose }: Props): ReactNode {
  const t = useText()
  const [typed, type] = useTyped(words, onWords)
  return (
    <div className="found">
      <SearchField label={label} value={typed} onChange={type} />
      {found?.length === 0 && (
        <p className="hint" role="status">
          {t('nothingFound')}
        </p>
      )}
      {found?.map(({ id, text }) => (
        <Button
          key={id}
          look="quiet"
          icon="plus"
          onPress={() => {
            onChoose(id)
            onWords('')
          }}
        >
          {text}
        </Button>
      ))}
    </div>
  )
}
