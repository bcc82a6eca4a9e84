export { cardNumberFields, cardNumberMessage } from './card-number-fields.ts'
export { holdsCardNumber } from './card-number.ts'
export { hasDeceptiveLetter } from './email-address.ts'
export { isSingleLine } from './single-line.ts'
