export type LockHolder = { readonly pid: number; readonly startedAt: string }

export type LockAttempt =
  | { readonly kind: 'acquired'; readonly release: () => void }
  | { readonly kind: 'held'; readonly pid: number }

export function lockHolder(path: string): LockHolder | undefined

export function acquireLock(path: string): LockAttempt
