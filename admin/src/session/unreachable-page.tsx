import { type ReactNode, useEffect, useState } from 'react'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { session } from './session.ts'

/** While the server doesn't say whether there is a session. */
export function UnreachablePage(): ReactNode {
  const t = useText()
  const [pending, setPending] = useState(false)
  useEffect(() => {
    document.title = t('unreachableTitle')
  }, [t])
  const retry = async () => {
    setPending(true)
    await session.renew()
    setPending(false)
  }
  return (
    <main className="sign-in">
      <section className="card">
        <div role="alert">
          <h1>{t('unreachableTitle')}</h1>
          <p className="muted">{t('unreachableText')}</p>
        </div>
        <Button look="primary" isDisabled={pending} onPress={() => void retry()}>
          {pending ? t('sending') : t('tryAgain')}
        </Button>
      </section>
    </main>
  )
}
