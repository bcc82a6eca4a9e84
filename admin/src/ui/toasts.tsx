import { type ReactNode, useSyncExternalStore } from 'react'
import { useText } from '../language/language.tsx'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly undo: (() => void) | null
}

/** Milliseconds. */
const shownFor = 6_000
const undoableFor = 20_000
const maxToasts = 3

const listeners = new Set<() => void>()
let toasts: readonly Toast[] = []
let last = 0

function put(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const drop = (id: number): void => put(toasts.filter((toast) => toast.id !== id))

/**
 * Says that something was done. Errors are told where they belong, and stay.
 *
 * @param undo takes it back; it is offered for longer, since one has to notice the mistake first
 */
export function tell(text: string, undo: (() => void) | null = null): void {
  const id = (last += 1)
  put([...toasts, { id, text, undo }].slice(-maxToasts))
  setTimeout(() => drop(id), undo === null ? shownFor : undoableFor)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts(): ReactNode {
  const t = useText()
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <div key={id} className="toast fade">
          <Icon name="circleCheck" />
          <span>{text}</span>
          {undo !== null && (
            <button
              type="button"
              className="undo"
              onClick={() => {
                drop(id)
                undo()
              }}
            >
              {t('undo')}
            </button>
          )}
          <button type="button" aria-label={t('close')} onClick={() => drop(id)}>
            <Icon name="x" size={16} />
          </button>
        </div>
      ))}
    </div>
  )
}
