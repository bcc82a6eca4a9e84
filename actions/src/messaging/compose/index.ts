export { defaultTemplates } from './default-templates.ts'
export type { Facts, HappeningOccasion, Occasion, ShopFacts } from './facts.ts'
export { type Headline, headlineOf } from './headline.ts'
export { place, placed } from './link.ts'
export {
  type EmailKind,
  isTokenMail,
  type MessageKind,
  messageKinds,
  type TemplateKind,
  templateKinds,
  type TokenMailKind,
  tokenMailKinds,
} from './message-kind.ts'
export { sampleOccasion, sampleShop } from './sample-facts.ts'
export { render, type Template, templateFault } from './template.ts'
export { type Enclosed, type Variables, variablesOf } from './variables.ts'
