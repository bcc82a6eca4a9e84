import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useLanguage } from '../language/use-language.tsx'

interface BreadcrumbProps {
  /** From the top down. */
  readonly above: readonly { readonly name: string; readonly slug: string }[]
  readonly name: string
}

export function Breadcrumb({ above, name }: BreadcrumbProps): ReactNode {
  const { t } = useLanguage()
  return (
    <nav className="breadcrumb" aria-label={t('breadcrumb')}>
      <ol>
        <li>
          <Link to="/">{t('home')}</Link>
        </li>
        {above.map((each) => (
          <li key={each.slug}>
            <Link to={`/c/${each.slug}`}>{each.name}</Link>
          </li>
        ))}
        <li aria-current="page">{name}</li>
      </ol>
    </nav>
  )
}
