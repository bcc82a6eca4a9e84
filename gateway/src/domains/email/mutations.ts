import type { MutationDefinition } from '../../mutation/definition.ts'
import { byId, deletion, remove, table } from '../../mutation/rows.ts'

const templateTable = table('email_template')
const campaignTable = table('email_campaign')

export const emailMutations: Readonly<Record<string, MutationDefinition>> = {
  deleteEmailTemplate: deletion('E-mail template', (id) => remove(templateTable, byId(id))),
  deleteEmailCampaign: deletion('E-mail campaign', (id) => remove(campaignTable, byId(id))),
}
