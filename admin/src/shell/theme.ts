export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'commerce-admin-theme'
const listeners = new Set<() => void>()

export const theme = {
  current: (): Theme => themes.find((each) => each === localStorage.getItem(key)) ?? 'auto',
  choose(next: Theme): void {
    localStorage.setItem(key, next)
    applyTheme()
    for (const listener of listeners) listener()
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Without a choice, the page follows the system. */
export function applyTheme(): void {
  const chosen = theme.current()
  if (chosen === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}
