export { emailActions } from './actions.ts'
export { advanceCampaigns } from './campaigns.ts'
export { purgeRenderedEmails } from './purge.ts'
export { unsubscribePages } from './unsubscribe-pages.ts'
