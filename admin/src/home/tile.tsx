import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'

interface TileProps {
  readonly title: string
  readonly href: string
  readonly figure?: string
  readonly below?: string
  readonly show?: (value: number) => string
  readonly row?: { readonly value: number | null; readonly previousValue: number | null } | undefined
}

/** A figure, which leads to what it counts. */
export function Tile({ title, href, figure, below, show = String, row }: TileProps): ReactNode {
  const value = row?.value ?? 0
  return (
    <Link href={href} className="card tile">
      <span className="muted small strong">{title}</span>
      <span className="figure">{figure ?? show(value)}</span>
      {below === undefined ? (
        <Change value={value} before={row?.previousValue ?? 0} show={show} />
      ) : (
        <span className="small muted">{below}</span>
      )}
    </Link>
  )
}

interface ChangeProps {
  readonly value: number
  readonly before: number
  readonly show: (value: number) => string
}

function Change({ value, before, show }: ChangeProps): ReactNode {
  const t = useText()
  const { percent } = useFormat()
  return (
    <span className="small muted">
      {before > 0 && (
        <strong className={value >= before ? 'up' : 'down'}>{percent((value - before) / before)} </strong>
      )}
      {t('before', { value: show(before) })}
    </span>
  )
}
