import { type ComponentProps, type ReactNode, useId } from 'react'

interface FieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  readonly label: string
  readonly name: string
  readonly hint?: string
  /** What is wrong with it. */
  readonly error?: string | undefined
}

/** A labelled field, with what is wrong beside it. */
export function Field({ label, hint, error, ...input }: FieldProps): ReactNode {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        required
        {...input}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described === '' ? undefined : described}
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}
