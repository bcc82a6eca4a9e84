import { action, type MutationDefinition } from '../../mutation/definition.ts'
import { byId, deletion, remove, table } from '../../mutation/rows.ts'

const templateTable = table('EmailTemplate', 'emailTemplates')
const campaignTable = table('EmailCampaign', 'emailCampaigns')

const template = { record: { relationship: 'template', projection: 'EmailTemplate' } } as const
const campaign = { record: { relationship: 'campaign', projection: 'EmailCampaign' } } as const

export const emailMutations: Readonly<Record<string, MutationDefinition>> = {
  createEmailTemplate: action(template),
  updateEmailTemplate: action(template),
  deleteEmailTemplate: deletion('E-mail template', (id) => remove(templateTable, byId(id))),
  previewEmailTemplate: action({ fromResult: ['source', 'rendered'] }),
  createEmailCampaign: action(campaign),
  updateEmailCampaign: action(campaign),
  deleteEmailCampaign: deletion('E-mail campaign', (id) => remove(campaignTable, byId(id))),
  scheduleEmailCampaign: action(campaign),
  cancelEmailCampaign: action(campaign),
  setEmailLink: action({ fromResult: ['link'] }),
  retryEmailDelivery: action({ record: { relationship: 'delivery', projection: 'EmailDelivery' } }),
}
