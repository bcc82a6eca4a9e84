export { emailActions } from './actions.ts'
export { advanceCampaigns } from './campaigns.ts'
export { deliverEmails, type EmailSending } from './deliveries.ts'
export { unsubscribePages } from './unsubscribe-pages.ts'
