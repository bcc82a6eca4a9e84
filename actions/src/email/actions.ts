import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  forbidden,
  invalid,
  notFound,
  tooManyTests,
  unchanged,
  type UserError,
} from '../action/answer.ts'
import { requiredField } from '@commerce-graph/contract/input'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import type { EmailKind, LinkKind, Template } from '../messaging/compose/index.ts'
import {
  type CampaignOutcome,
  type CampaignPreview,
  createCampaign,
  moveCampaign,
  previewCampaign,
  scheduleCampaign,
  updateCampaign,
} from './campaigns.ts'
import { retryDelivery, type RetryOutcome } from './retry-delivery.ts'
import { linkFault, setLink } from './links.ts'
import {
  createTemplate,
  kindOfTemplate,
  previewTemplate,
  templateFaults,
  type TemplateOutcome,
  updateTemplate,
} from './templates.ts'
import { sendTestMail, testedMail, type TestOutcome } from './test-mail.ts'
import { missingToWord } from './token-mail-access.ts'

/** The domain's actions, by the name of the mutation. */
export const emailActions = (database: Database): Readonly<Record<string, Action>> => ({
  ...templateActions(database),
  ...campaignActions(database),
  sendTestEmail: sendTest(database),
  setEmailLink: setEmailLink(database),
  retryEmailDelivery: retry(database),
})

const templateActions = (database: Database): Readonly<Record<string, Action>> => ({
  createEmailTemplate: defineAction('createEmailTemplate', {
    async handle({ session }, { input: { kind, ...template } }) {
      const { merchantId } = session
      const refusal = await refusalToWord(database, session, kind)
      if (refusal !== null) return refusal
      const errors = contentErrors(kind, template)
      if (errors.length > 0) return invalid(...errors)
      return templateAnswer(merchantId, await createTemplate(database, merchantId, kind, template))
    },
  }),
  updateEmailTemplate: defineAction('updateEmailTemplate', {
    absent: 'kept',
    async handle({ session }, { id, input }) {
      const { merchantId } = session
      const kind = await kindOfTemplate(database, merchantId, id)
      if (kind === null) return templateAnswer(merchantId, { outcome: 'unknown' })
      const refusal = await refusalToWord(database, session, kind)
      if (refusal !== null) return refusal
      const errors = contentErrors(kind, input)
      if (errors.length > 0) return invalid(...errors)
      return templateAnswer(merchantId, await updateTemplate(database, merchantId, id, input))
    },
  }),
  previewEmailTemplate: defineAction('previewEmailTemplate', {
    async handle({ session: { merchantId } }, { input: { kind, ...parts } }) {
      const draft = givenOnly(parts)
      const errors = contentErrors(kind, draft)
      if (errors.length > 0) return invalid(...errors)
      return unchanged({ ...(await previewTemplate(database, merchantId, kind, draft)) })
    },
  }),
})

const campaignActions = (database: Database): Readonly<Record<string, Action>> => ({
  previewEmailCampaign: defineAction('previewEmailCampaign', {
    async handle({ session: { merchantId } }, { input }) {
      const errors = contentErrors('CAMPAIGN', input)
      if (errors.length > 0) return invalid(...errors)
      return previewAnswer(await previewCampaign(database, merchantId, input))
    },
  }),
  createEmailCampaign: defineAction('createEmailCampaign', {
    async handle({ session: { merchantId } }, { input }) {
      const errors = contentErrors('CAMPAIGN', input)
      if (errors.length > 0) return invalid(...errors)
      return campaignAnswer(merchantId, await createCampaign(database, merchantId, input))
    },
  }),
  updateEmailCampaign: defineAction('updateEmailCampaign', {
    absent: 'kept',
    async handle({ session: { merchantId } }, { id, input }) {
      const errors = contentErrors('CAMPAIGN', input)
      if (errors.length > 0) return invalid(...errors)
      return campaignAnswer(merchantId, await updateCampaign(database, merchantId, id, input))
    },
  }),
  scheduleEmailCampaign: defineAction('scheduleEmailCampaign', {
    async handle({ session: { merchantId } }, { id, scheduledAt }) {
      const errors = scheduleErrors(scheduledAt)
      if (errors.length > 0) return invalid(...errors)
      return campaignAnswer(merchantId, await scheduleCampaign(database, merchantId, id, scheduledAt))
    },
  }),
  cancelEmailCampaign: defineAction('cancelEmailCampaign', {
    async handle({ session: { merchantId } }, { id }) {
      return campaignAnswer(merchantId, await moveCampaign(database, merchantId, id, 'cancel'))
    },
  }),
  pauseEmailCampaign: defineAction('pauseEmailCampaign', {
    async handle({ session: { merchantId } }, { id }) {
      return campaignAnswer(merchantId, await moveCampaign(database, merchantId, id, 'pause'))
    },
  }),
  resumeEmailCampaign: defineAction('resumeEmailCampaign', {
    async handle({ session: { merchantId } }, { id }) {
      return campaignAnswer(merchantId, await moveCampaign(database, merchantId, id, 'resume'))
    },
  }),
})

const sendTest = (database: Database): Action =>
  defineAction('sendTestEmail', {
    async handle({ session }, { input: { kind, campaignId, ...parts } }) {
      if (session.role !== 'merchant' || session.userId === undefined)
        return forbidden('A test is mailed to the user who asks for it, and an API key is no user')
      const draft = givenOnly(parts)
      const errors = contentErrors(kind, draft)
      if (errors.length > 0) return invalid(...errors)
      const tested = testedMail(kind, campaignId, draft)
      if (tested === null)
        return invalid(invalidValue('campaignId', 'Only a message of the kind CAMPAIGN has a campaign'))
      const { merchantId, userId } = session
      return testAnswer(merchantId, await sendTestMail(database, { merchantId, userId }, tested))
    },
  })

const setEmailLink = (database: Database): Action =>
  defineAction('setEmailLink', {
    async handle({ session }, { input: { kind, url } }) {
      const refusal = await refusalToWord(database, session, kind)
      if (refusal !== null) return refusal
      const fault = url === null ? null : linkFault(url)
      if (fault !== null) return invalid(invalidValue('url', fault))
      await setLink(database, session.merchantId, kind, url)
      return done({ link: url === null ? null : { kind, url } })
    },
  })

async function refusalToWord(
  database: Database,
  session: Session,
  kind: EmailKind | LinkKind,
): Promise<Answer | null> {
  const missing = await missingToWord(database, session, kind)
  return missing === null ? null : forbidden(`Who words messages of the kind ${kind} has ${missing}, too`)
}

const retry = (database: Database): Action =>
  defineAction('retryEmailDelivery', {
    async handle({ session: { merchantId } }, { id }) {
      return retryAnswer(merchantId, await retryDelivery(database, merchantId, id))
    },
  })

const contentErrors = (kind: EmailKind, template: Partial<Template>): readonly UserError[] =>
  templateFaults(kind, template).map(({ field, fault }) => invalidValue(field, fault))

/** A year: further ahead is a typing error. */
const maxAhead = 366 * 24 * 60 * 60 * 1000
/** Clocks differ, and a form takes a while to be sent. */
const maxBehind = 5 * 60 * 1000

function scheduleErrors(scheduledAt: string | null): readonly UserError[] {
  if (scheduledAt === null) return []
  const ahead = Date.parse(scheduledAt) - Date.now()
  if (ahead < -maxBehind) {
    return [{ field: 'scheduledAt', message: 'The time is in the past', code: 'OUT_OF_RANGE' }]
  }
  if (ahead > maxAhead) {
    const message = 'Campaigns can be scheduled for the next 366 days'
    return [{ field: 'scheduledAt', message, code: 'OUT_OF_RANGE' }]
  }
  return []
}

function templateAnswer(merchantId: MerchantId, outcome: TemplateOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, emailTemplateId: outcome.templateId })
    case 'taken': {
      const message = `A record with kind=${outcome.kind} already exists`
      return invalid({ field: 'kind', message, code: 'ALREADY_EXISTS' })
    }
    case 'unknown':
      return invalid(notFound('id', 'E-mail template'))
    default:
      return outcome satisfies never
  }
}

function previewAnswer(preview: CampaignPreview): Answer {
  switch (preview.outcome) {
    case 'rendered': {
      const { rendered, recipients } = preview
      return unchanged({ rendered, recipients })
    }
    case 'unknown_segment':
      return invalid(notFound('segmentId', 'Segment'))
    default:
      return preview satisfies never
  }
}

function campaignAnswer(merchantId: MerchantId, outcome: CampaignOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, emailCampaignId: outcome.campaignId })
    case 'unknown':
      return invalid(notFound('id', 'E-mail campaign'))
    case 'unknown_segment':
      return invalid(notFound('segmentId', 'Segment'))
    case 'not_allowed':
      return invalid(invalidValue('id', `This can not be done to a campaign in status ${outcome.status}`))
    default:
      return outcome satisfies never
  }
}

function testAnswer(merchantId: MerchantId, outcome: TestOutcome): Answer {
  switch (outcome.outcome) {
    case 'queued':
      return done({ merchantId, emailDeliveryId: outcome.deliveryId })
    case 'unconfirmed':
      return invalid(
        invalidValue(
          'recipient',
          'A test goes to your own address, which isn’t confirmed yet; requestEmailVerification mails you a token',
        ),
      )
    case 'too_many':
      return tooManyTests(outcome.retryAfter)
    case 'unknown_campaign':
      return invalid(notFound('campaignId', 'E-mail campaign'))
    case 'incomplete':
      return invalid(...outcome.missing.map(requiredField))
    default:
      return outcome satisfies never
  }
}

function retryAnswer(merchantId: MerchantId, outcome: RetryOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, emailDeliveryId: outcome.deliveryId })
    case 'unknown':
      return invalid(notFound('id', 'E-mail delivery'))
    case 'not_allowed':
      return invalid(invalidValue('id', `A delivery in status ${outcome.status} can not be sent again`))
    default:
      return outcome satisfies never
  }
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], null> }

const givenOnly = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<T>
