import { type ReactNode, useState } from 'react'
import { FormValidationContext } from 'react-aria-components'
import { noFaults } from '../api/field-errors.ts'

interface Props {
  /** By the names of the fields. Another object is another refusal, so it has to be the same one as long as nothing was sent again. */
  readonly errors: Readonly<Record<string, string>>
  readonly className?: string
  readonly onSubmit: () => void
  readonly children: ReactNode
}

/**
 * A form whose fields show what the server has against them, until one begins to correct it. React Aria's own form blocks a field until it
 * is left, and takes the message away at that moment: the button below moves, and the click that left the field misses it.
 */
export function ServerForm({ errors, className, onSubmit, children }: Props): ReactNode {
  const [corrected, setCorrected] = useState<Props['errors'] | null>(null)
  return (
    <form
      className={className}
      onInput={() => setCorrected(errors)}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <FormValidationContext value={corrected === errors ? noFaults.fields : errors}>
        {children}
      </FormValidationContext>
    </form>
  )
}
