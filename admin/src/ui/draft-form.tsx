import type { RequestError } from '@commerce-graph/client'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { faultsOf } from '../api/field-errors.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { Button } from './button.tsx'
import { Fault } from './dialog.tsx'
import { ServerForm } from './server-form.tsx'
import type { DraftState } from './use-draft.ts'

interface Props {
  readonly draft: Pick<DraftState<object>, 'isChanged' | 'isOld' | 'reload' | 'saved'>
  /** The names of the fields, at which errors are shown. */
  readonly fields: readonly string[]
  readonly error: RequestError | null
  readonly pending: boolean
  readonly mayWrite: boolean
  /** What is said if somebody else was quicker. */
  readonly oldText?: MessageName
  readonly onSubmit: () => void
  readonly children: ReactNode
}

/** A form of a page, which saves what was changed, and says so if somebody else was quicker. */
export function DraftForm({
  draft: { isChanged, isOld, reload, saved },
  fields,
  error,
  pending,
  mayWrite,
  oldText,
  onSubmit,
  children,
}: Props): ReactNode {
  const t = useText()
  const faults = faultsOf(error, fields)
  const whenSaved = useSending(pending, error)
  const submit = () => {
    whenSaved(saved)
    onSubmit()
  }
  return (
    <ServerForm className="form" errors={faults.fields} onSubmit={submit}>
      {faults.general !== null && <Fault text={faults.general} />}
      {isOld && isChanged && !pending && <OldNotice {...(oldText && { text: oldText })} reload={reload} />}
      {children}
      {mayWrite && (
        <div className="chips">
          <Button type="submit" look="primary" isDisabled={!isChanged || pending}>
            {pending ? t('sending') : t('save')}
          </Button>
          {isChanged && (
            <Button look="quiet" onPress={reload}>
              {t('undo')}
            </Button>
          )}
        </div>
      )}
    </ServerForm>
  )
}

interface NoticeProps {
  readonly text?: MessageName
  readonly reload: () => void
}

/** Says that somebody else was quicker, and offers that version. */
export function OldNotice({ text = 'formChangedMeanwhile', reload }: NoticeProps): ReactNode {
  const t = useText()
  return (
    <div className="notice wait between" role="alert">
      <p>{t(text)}</p>
      <Button onPress={reload}>{t('loadAgain')}</Button>
    </div>
  )
}

/** Takes what is to be called when the change that is sent next is stored. It isn't called if that is refused. */
function useSending(pending: boolean, error: RequestError | null): (saved: () => void) => void {
  const submitted = useRef<(() => void) | null>(null)
  const sending = useRef<(() => void) | null>(null)
  // Before it is painted: the own version would be announced as somebody else's for a moment.
  useLayoutEffect(() => {
    if (!pending && error === null) sending.current?.()
    if (!pending) {
      sending.current = null
    } else if (submitted.current !== null) {
      sending.current = submitted.current
      submitted.current = null
    }
  }, [pending, error])
  return (saved) => {
    submitted.current = saved
  }
}
