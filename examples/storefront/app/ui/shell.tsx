import { type ReactNode, useEffect, useRef } from 'react'
import { Form, Link, NavLink, useLocation, useNavigation, useSearchParams, useSubmit } from 'react-router'
import { useLanguage } from '../language/use-language.tsx'
import { useVisit } from '../shop/use-visit.ts'

interface ShellProps {
  readonly name: string
  readonly categories: readonly { readonly id: string; readonly name: string; readonly slug: string }[]
  readonly children: ReactNode
}

/** What is around every page. */
export function Shell({ name, categories, children }: ShellProps): ReactNode {
  const { t, language } = useLanguage()
  const { itemCount = 0 } = useVisit()
  const { pathname, search } = useLocation()
  const busy = useNavigation().state !== 'idle'
  return (
    <>
      <a className="skip" href="#content">
        {t('skipToContent')}
      </a>
      <header className="top">
        <Link className="brand" to="/">
          {name}
        </Link>
        <SearchField />
        <nav className="tools" aria-label={t('account')}>
          <Form method="post" action="/language" reloadDocument>
            <input type="hidden" name="back" value={`${pathname}${search}`} />
            <button
              className="plain"
              name="language"
              value={language === 'en' ? 'de' : 'en'}
              lang={language === 'en' ? 'de' : 'en'}
            >
              {t('language')}
            </button>
          </Form>
          <Link to="/account">{t('account')}</Link>
          <Link to="/cart">
            {t('cart')} {itemCount > 0 && <span className="count">{itemCount}</span>}
          </Link>
        </nav>
        <nav className="categories" aria-label={t('categories')}>
          {categories.map(({ id, name: category, slug }) => (
            <NavLink key={id} to={`/c/${slug}`}>
              {category}
            </NavLink>
          ))}
        </nav>
      </header>
      <div className={busy ? 'progress busy' : 'progress'} />
      <main id="content" tabIndex={-1} aria-busy={busy}>
        {children}
      </main>
      <footer>{t('footer')}</footer>
    </>
  )
}

/** Milliseconds after the last letter. */
const typingPause = 200

/** Searches as one types: the results are a page of their own, whose address can be kept. Without scripts it is a plain form. */
function SearchField(): ReactNode {
  const { t } = useLanguage()
  const submit = useSubmit()
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const field = useRef<HTMLInputElement>(null)
  const searching = pathname === '/search'
  const text = searching ? (params.get('q') ?? '') : ''
  // The address has changed otherwise than by typing, such as by going back.
  useEffect(() => {
    if (field.current !== null && document.activeElement !== field.current) field.current.value = text
  }, [text])
  // The visitor has gone on elsewhere: what was typed last must not lead back.
  const goingTo = useNavigation().location?.pathname ?? pathname
  useEffect(() => clearTimeout(timer.current), [goingTo])
  return (
    <Form role="search" action="/search" className="search">
      <input
        ref={field}
        type="search"
        name="q"
        maxLength={100}
        defaultValue={text}
        aria-label={t('searchShop')}
        placeholder={t('searchShop')}
        autoComplete="off"
        onChange={({ currentTarget: { value, form } }) => {
          clearTimeout(timer.current)
          if (value.trim().length < 2 && !searching) return
          timer.current = setTimeout(
            () => void submit(form, { replace: searching, preventScrollReset: true }),
            typingPause,
          )
        }}
      />
      <button className="search-button">{t('search')}</button>
    </Form>
  )
}
