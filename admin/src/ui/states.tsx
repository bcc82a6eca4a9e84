import { type ReactNode, useState } from 'react'
import { errorOf } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useText } from '../language/language.tsx'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}

/** What is shown in place of a list that has nothing: what would be here, and how it gets here. */
export const Empty = ({ icon, title, text, children }: EmptyProps): ReactNode => (
  <div className="empty">
    <span className="sign">
      <Icon name={icon} size={24} />
    </span>
    <h2>{title}</h2>
    <p>{text}</p>
    {children}
  </div>
)

/** In place of what couldn't be asked. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry: () => void }): ReactNode {
  const t = useText()
  const known = errorOf(error)
  const forbidden = known?.kind === 'forbidden'
  return (
    <div role="alert">
      <Empty
        icon={forbidden ? 'key' : 'triangleAlert'}
        title={forbidden ? t('forbiddenTitle') : t('failedTitle')}
        text={forbidden ? t('forbiddenText') : known === null ? error.message : reasonOf(known)}
      >
        {!forbidden && <Button onPress={retry}>{t('tryAgain')}</Button>}
        {known?.requestId != null && <p className="small">{t('requestId', { id: known.requestId })}</p>}
      </Empty>
    </div>
  )
}

/** Where something will be. */
export function Loading({ lines = 4 }: { readonly lines?: number }): ReactNode {
  const t = useText()
  return (
    <div className="inside" role="status">
      <span className="hidden">{t('loading')}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className="skeleton" />
      ))}
    </div>
  )
}

interface CardProps {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const Card = ({ title, actions, children }: CardProps): ReactNode => (
  <section className="card" {...(title !== undefined && { 'aria-label': title })}>
    {title !== undefined && (
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    <div className="inside">{children}</div>
  </section>
)

export type Tone = 'good' | 'wait' | 'bad' | 'info' | 'calm'

export const Badge = ({
  tone,
  children,
}: {
  readonly tone: Tone
  readonly children: ReactNode
}): ReactNode => <span className={`badge ${tone}`}>{children}</span>

interface ThumbProps {
  readonly url: string | null
  readonly icon?: IconName
}

/** A picture, or a sign where there is none, or it can't be loaded. */
export function Thumb({ url, icon = 'image' }: ThumbProps): ReactNode {
  const [broken, setBroken] = useState(false)
  return (
    <span className="thumb" aria-hidden="true">
      {url === null || broken ? (
        <Icon name={icon} />
      ) : (
        <img src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
      )}
    </span>
  )
}
