import type { ReactNode } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  type CampaignPartsFragment,
  PauseCampaignDocument,
  ResumeCampaignDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { tell } from '../ui/toasts.tsx'

/** Holds back a campaign that is being sent, or goes on with it. Each takes the other back, so neither asks first. */
export function PauseButton({ campaign }: { readonly campaign: CampaignPartsFragment }): ReactNode {
  const t = useText()
  const { id, name, status } = campaign
  const pause = useChange(PauseCampaignDocument, ['emails'])
  const resume = useChange(ResumeCampaignDocument, ['emails'])
  const error = pause.error ?? resume.error
  const isPaused = status === 'PAUSED'
  const act = async () => {
    pause.forget()
    resume.forget()
    const done = isPaused ? await resume.run({ id }) : await pause.run({ id })
    if (done !== null) tell(t(isPaused ? 'campaignResumed' : 'campaignIsPaused', { name }))
  }
  return (
    <>
      {error && <Fault text={reasonOf(error)} />}
      <Button isDisabled={pause.pending || resume.pending} onPress={() => void act()}>
        {t(isPaused ? 'resumeCampaign' : 'pauseCampaign')}
      </Button>
    </>
  )
}
