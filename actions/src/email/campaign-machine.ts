import { refused, type StateMachine, transition } from '../state-machine.ts'

export type CampaignStatus = 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'PAUSED' | 'SENT' | 'CANCELLED'

export type CampaignEvent = 'edit' | 'schedule' | 'cancel' | 'pause' | 'resume' | 'begin' | 'finish'

const over = {
  edit: refused,
  schedule: refused,
  cancel: refused,
  pause: refused,
  resume: refused,
  begin: refused,
  finish: refused,
} as const

/** See SPEC.md. */
export const campaignMachine: StateMachine<CampaignStatus, CampaignEvent> = {
  DRAFT: { ...over, edit: 'DRAFT', schedule: 'SCHEDULED' },
  SCHEDULED: { ...over, schedule: 'SCHEDULED', cancel: 'CANCELLED', begin: 'SENDING' },
  SENDING: { ...over, cancel: 'CANCELLED', pause: 'PAUSED', finish: 'SENT' },
  PAUSED: { ...over, cancel: 'CANCELLED', resume: 'SENDING' },
  SENT: over,
  CANCELLED: over,
}

export const campaignTransitions = {
  edit: transition(campaignMachine, 'edit'),
  schedule: transition(campaignMachine, 'schedule'),
  cancel: transition(campaignMachine, 'cancel'),
  pause: transition(campaignMachine, 'pause'),
  resume: transition(campaignMachine, 'resume'),
}
