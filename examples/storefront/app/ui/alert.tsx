import type { ReactNode } from 'react'
import { useLanguage } from '../language/use-language.tsx'
import type { Problem } from './problem.ts'

/** Says what went wrong, to screen readers at once. It is always in the page, so that they notice the change. */
export function Alert({ problem }: { readonly problem: Problem | null | undefined }): ReactNode {
  const { t } = useLanguage()
  return (
    <div role="alert" className="alert">
      {problem != null && <p>{problem.text === null ? problem.message : t(problem.text)}</p>}
    </div>
  )
}
