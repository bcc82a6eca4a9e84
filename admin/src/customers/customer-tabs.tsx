import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useText } from '../language/language.tsx'

const tabs = [
  { id: 'customers', href: '/customers' },
  { id: 'segments', href: '/customers/segments' },
] as const

export function CustomerTabs({ at }: { readonly at: (typeof tabs)[number]['id'] }): ReactNode {
  const t = useText()
  return (
    <nav className="tabs" aria-label={t('customers')}>
      {tabs.map(({ id, href }) => (
        <Link key={id} href={href} className="tab" aria-current={id === at ? 'page' : undefined}>
          {t(id)}
        </Link>
      ))}
    </nav>
  )
}
