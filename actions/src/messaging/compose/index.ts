export { defaultTemplates } from './default-templates.ts'
export type { HappeningOccasion } from './facts.ts'
export { headlineOf } from './headline.ts'
export { place, placed } from './link.ts'
export {
  type EmailKind,
  isTokenMail,
  type MessageKind,
  type TemplateKind,
  type LinkKind,
  tokenMailKinds,
} from './message-kind.ts'
export { sampleOccasion, sampleShop } from './sample-facts.ts'
export { render, type Template, templateFault } from './template.ts'
export { withUnsubscribeLink } from './unsubscribe-link.ts'
export { type Enclosed, variablesOf } from './variables.ts'
