import { useSyncExternalStore } from 'react'
import { theme } from '../shell/theme.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener)
  const leave = theme.subscribe(listener)
  return () => {
    dark.removeEventListener('change', listener)
    leave()
  }
}

const look = (): string => `${theme.current()} ${dark.matches}`

/** Another value whenever colours are others, for charts, which are drawn with the colours of a moment. */
export const usePlotLook = (): string => useSyncExternalStore(subscribe, look)

/** A canvas knows no `light-dark()`: the browser says what comes of it. */
export function colorOf(element: HTMLElement, value: string): string {
  const former = element.style.color
  element.style.color = value
  const color = getComputedStyle(element).color
  element.style.color = former
  return color
}
