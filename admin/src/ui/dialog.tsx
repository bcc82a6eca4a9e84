import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import type { RequestError } from '@commerce-graph/client'
import { faultsOf } from '../api/field-errors.ts'
import { useText } from '../language/language.tsx'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { ServerForm } from './server-form.tsx'

interface Props {
  readonly title: string
  readonly narrow?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** What is over the page. Escape and a click beside it close it, and the focus returns to where it was. */
export function Dialog({ title, narrow = false, onClose, children }: Props): ReactNode {
  const t = useText()
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className={narrow ? 'modal narrow fade' : 'modal fade'}>
        <AriaDialog className="dialog">
          <header>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton icon="x" label={t('close')} onPress={onClose} />
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

interface FormProps extends Props {
  /** The names of the fields, at which errors are shown. */
  readonly fields: readonly string[]
  readonly error: RequestError | null
  readonly submit: string
  readonly danger?: boolean
  readonly pending: boolean
  readonly disabled?: boolean
  readonly onSubmit: () => void
  /** Beside the buttons, such as a sum. */
  readonly aside?: ReactNode
}

/** A dialog that asks, and sends. It stays open while the server refuses. */
export function FormDialog({
  fields,
  error,
  submit,
  danger = false,
  pending,
  disabled = false,
  onSubmit,
  aside,
  children,
  ...dialog
}: FormProps): ReactNode {
  const t = useText()
  const faults = faultsOf(error, fields)
  return (
    <Dialog {...dialog}>
      <ServerForm errors={faults.fields} onSubmit={onSubmit}>
        <div className="body">
          {faults.general !== null && <Fault text={faults.general} />}
          {children}
        </div>
        <footer>
          {aside}
          <Button onPress={dialog.onClose}>{t('cancel')}</Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} isDisabled={pending || disabled}>
            {pending ? t('sending') : submit}
          </Button>
        </footer>
      </ServerForm>
    </Dialog>
  )
}

export const Fault = ({ text }: { readonly text: string }): ReactNode => (
  <div className="notice bad" role="alert">
    <Icon name="circleAlert" />
    <p>{text}</p>
  </div>
)
