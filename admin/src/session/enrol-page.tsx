import { type ReactNode, useState } from 'react'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { EnrolSteps } from './enrol-steps.tsx'
import { session } from './session.ts'

/** For a user whose shop wants an authenticator: the session has no rights until there is one. */
export default function EnrolPage(): ReactNode {
  const t = useText()
  const [isStillIn, setStillIn] = useState(false)
  return (
    <main className="sign-in">
      <section className="card">
        <div>
          <h1>{t('enrolTitle')}</h1>
          <p className="muted">{t('enrolLead')}</p>
        </div>
        <EnrolSteps onDone={() => void session.renew()} />
        {isStillIn && <Fault text={t('notSignedOut')} />}
        <Button look="quiet" onPress={() => void session.signOut().then((isOut) => setStillIn(!isOut))}>
          {t('signOut')}
        </Button>
      </section>
    </main>
  )
}
