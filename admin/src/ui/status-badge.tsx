import type { ReactNode } from 'react'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { Badge, type Tone } from './states.tsx'

/** A state by its name and its colour. */
export function StatusBadge({
  status: { tone, name },
}: {
  readonly status: { readonly tone: Tone; readonly name: MessageName }
}): ReactNode {
  const t = useText()
  return <Badge tone={tone}>{t(name)}</Badge>
}
