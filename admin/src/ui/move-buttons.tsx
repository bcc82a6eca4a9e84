import { type ReactNode, useEffect, useRef } from 'react'
import { useText } from '../language/language.tsx'
import { IconButton } from './button.tsx'

interface Props {
  /** Of what is moved. */
  readonly name: string
  readonly place: number
  readonly count: number
  readonly onMove: (by: -1 | 1) => void
}

/**
 * Moves a row of a list up or down. The browser takes the focus from a row that changes its place, and from a button that has nothing left
 * to do, so it is given back, and one can go on pressing.
 */
export function MoveButtons({ name, place, count, onMove }: Props): ReactNode {
  const t = useText()
  const up = useRef<HTMLButtonElement>(null)
  const down = useRef<HTMLButtonElement>(null)
  const pressed = useRef<-1 | 1 | null>(null)
  const isFirst = place === 0
  const isLast = place === count - 1
  useEffect(() => {
    if (pressed.current === null) return
    const wantsUp = (pressed.current === -1 && !isFirst) || isLast
    pressed.current = null
    ;(wantsUp ? up : down).current?.focus()
  }, [place, isFirst, isLast])
  const move = (by: -1 | 1) => {
    pressed.current = by
    onMove(by)
  }
  return (
    <>
      <IconButton
        ref={up}
        icon="arrowUp"
        label={t('moveUp', { name })}
        isDisabled={isFirst}
        onPress={() => move(-1)}
      />
      <IconButton
        ref={down}
        icon="arrowDown"
        label={t('moveDown', { name })}
        isDisabled={isLast}
        onPress={() => move(1)}
      />
    </>
  )
}
