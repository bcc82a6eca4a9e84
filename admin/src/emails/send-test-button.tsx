import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { tell } from '../ui/toasts.tsx'

interface Props {
  readonly isDisabled: boolean
  /** Resolves with whether it is on its way. */
  readonly send: () => Promise<boolean>
}

/** Mails what is typed, saved or not, to the person who types it. */
export function SendTestButton({ isDisabled, send }: Props): ReactNode {
  const t = useText()
  const { userEmail: address } = useShop()
  const press = async () => {
    if (await send()) tell(t('mailTestIsSent', { address }))
  }
  return (
    <Button isDisabled={isDisabled} onPress={() => void press()}>
      {t('sendTestTo', { address })}
    </Button>
  )
}
