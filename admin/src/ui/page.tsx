import { type ReactNode, useEffect } from 'react'
import { Link } from 'wouter'
import { useShop } from '../shell/shop.ts'
import { Icon } from './icon.tsx'

interface PageProps {
  readonly title: string
  readonly badges?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly back?: { readonly href: string; readonly text: string }
  readonly narrow?: boolean
  readonly children: ReactNode
}

export function Page({ title, badges, lead, actions, back, narrow, children }: PageProps): ReactNode {
  const { name } = useShop()
  useEffect(() => {
    document.title = `${title} · ${name}`
  }, [title, name])
  return (
    <div className={narrow === true ? 'page narrow' : 'page'}>
      {back && (
        <Link href={back.href} className="back">
          <Icon name="arrowLeft" size={15} /> {back.text}
        </Link>
      )}
      <div className="head">
        <div className="titles">
          <div className="title">
            <h1>{title}</h1>
            {badges}
          </div>
          {lead !== undefined && <p className="muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
