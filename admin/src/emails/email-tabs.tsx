import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useText } from '../language/language.tsx'

const tabs = [
  { id: 'mailKinds', href: '/emails' },
  { id: 'campaigns', href: '/emails/campaigns' },
] as const

export function EmailTabs({ at }: { readonly at: (typeof tabs)[number]['id'] }): ReactNode {
  const t = useText()
  return (
    <nav className="tabs" aria-label={t('emails')}>
      {tabs.map(({ id, href }) => (
        <Link key={id} href={href} className="tab" aria-current={id === at ? 'page' : undefined}>
          {t(id)}
        </Link>
      ))}
    </nav>
  )
}
