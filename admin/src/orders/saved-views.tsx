import { type ReactNode, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { useText } from '../language/language.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import type { Filters } from '../ui/use-filters.ts'
import type { OrderFilterName } from './orders-page.tsx'

interface View {
  readonly name: string
  /** The search part of the list's address. */
  readonly search: string
}

const key = 'commerce-admin-order-views'
const maxViews = 20

function readViews(): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? (stored as View[]).filter((view) => typeof view.search === 'string') : []
  } catch {
    return []
  }
}

interface Props {
  readonly filters: Filters<OrderFilterName>
  readonly change: (changed: Partial<Filters<OrderFilterName>>) => void
}

/** The lists that one opens again and again: some that every shop has, and one's own, which this browser keeps. */
export function SavedViews({ filters }: Props): ReactNode {
  const t = useText()
  const search = useSearch()
  const [views, setViews] = useState(readViews)
  const [naming, setNaming] = useState(false)
  const store = (next: readonly View[]) => {
    localStorage.setItem(key, JSON.stringify(next))
    setViews(next)
  }
  const given: readonly View[] = [
    { name: t('viewAll'), search: '' },
    { name: t('viewToSend'), search: 'status=CONFIRMED%2CPROCESSING' },
    { name: t('viewUnpaid'), search: 'status=PENDING' },
    { name: t('viewOnTheWay'), search: 'status=SHIPPED' },
  ]
  const all = [...given, ...views]
  const isKnown = all.some((view) => view.search === search)
  const isOwn = views.some((view) => view.search === search)
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <nav className="tabs" aria-label={t('savedViews')}>
      {all.map((view) => (
        <Link
          key={`${view.name} ${view.search}`}
          href={view.search === '' ? '/orders' : `/orders?${view.search}`}
          className="tab"
          aria-current={view.search === search ? 'page' : undefined}
        >
          {view.name}
        </Link>
      ))}
      {isFiltered && !isKnown && views.length < maxViews && (
        <Button look="quiet" icon="plus" onPress={() => setNaming(true)}>
          {t('saveView')}
        </Button>
      )}
      {isOwn && (
        <IconButton
          icon="x"
          label={t('forgetView')}
          onPress={() => store(views.filter((view) => view.search !== search))}
        />
      )}
      {naming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onNamed={(name) => {
            store([...views, { name, search }])
            setNaming(false)
          }}
        />
      )}
    </nav>
  )
}

interface NameProps {
  readonly onClose: () => void
  readonly onNamed: (name: string) => void
}

function NameDialog({ onClose, onNamed }: NameProps): ReactNode {
  const t = useText()
  const [name, setName] = useState('')
  return (
    <Dialog title={t('saveView')} narrow onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onNamed(name)
        }}
      >
        <div className="body">
          <TextField label={t('name')} value={name} onChange={setName} maxLength={40} isRequired autoFocus />
        </div>
        <footer>
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button type="submit" look="primary">
            {t('save')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
