import type { RequestError } from '@commerce-graph/client'
import type { ReactNode } from 'react'
import { faultsOf } from '../api/field-errors.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { Button } from './button.tsx'
import { Fault } from './dialog.tsx'
import { ServerForm } from './server-form.tsx'
import type { DraftState } from './use-draft.ts'

interface Props {
  readonly draft: Pick<DraftState<object>, 'isChanged' | 'isOld' | 'reload'>
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
  draft: { isChanged, isOld, reload },
  fields,
  error,
  pending,
  mayWrite,
  oldText = 'formChangedMeanwhile',
  onSubmit,
  children,
}: Props): ReactNode {
  const t = useText()
  const faults = faultsOf(error, fields)
  return (
    <ServerForm className="form" errors={faults.fields} onSubmit={onSubmit}>
      {faults.general !== null && <Fault text={faults.general} />}
      {isOld && isChanged && !pending && (
        <div className="notice wait between" role="alert">
          <p>{t(oldText)}</p>
          <Button onPress={reload}>{t('loadAgain')}</Button>
        </div>
      )}
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
