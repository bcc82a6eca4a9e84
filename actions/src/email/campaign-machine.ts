import { refused, type StateMachine, transition } from '../state-machine.ts'

export type CampaignStatus = 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED'

export type CampaignEvent = 'edit' | 'schedule' | 'cancel' | 'begin' | 'finish'

const over = { edit: refused, schedule: refused, cancel: refused, begin: refused, finish: refused } as const

/** See SPEC.md. */
export const campaignMachine: StateMachine<CampaignStatus, CampaignEvent> = {
  DRAFT: { ...over, edit: 'DRAFT', schedule: 'SCHEDULED' },
  SCHEDULED: { ...over, schedule: 'SCHEDULED', cancel: 'CANCELLED', begin: 'SENDING' },
  SENDING: { ...over, cancel: 'CANCELLED', finish: 'SENT' },
  SENT: over,
  CANCELLED: over,
}

export const campaignTransitions = {
  edit: transition(campaignMachine, 'edit'),
  schedule: transition(campaignMachine, 'schedule'),
  cancel: transition(campaignMachine, 'cancel'),
}
