import { type ReactNode, useState } from 'react'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface Props {
  readonly title: string
  readonly lead: string
  readonly secret: string
  readonly onClose: () => void
}

/** Shows what the server says once. */
export function SecretDialog({ title, lead, secret, onClose }: Props): ReactNode {
  const t = useText()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(secret)
    setCopied(true)
  }
  return (
    <Dialog title={title} narrow onClose={onClose}>
      <div className="body">
        <p>{lead}</p>
        <p className="secret wrap">{secret}</p>
        <p className="hidden" role="status">
          {copied ? t('copied') : ''}
        </p>
      </div>
      <footer>
        {'clipboard' in navigator && (
          <Button onPress={() => void copy().catch(() => setCopied(false))}>
            {t(copied ? 'copied' : 'copy')}
          </Button>
        )}
        <Button look="primary" onPress={onClose}>
          {t('done')}
        </Button>
      </footer>
    </Dialog>
  )
}
