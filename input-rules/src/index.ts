export { cardNumberFields, cardNumberMessage } from './card-number-fields.ts'
export { holdsCardNumber } from './card-number.ts'
export { countryCode, countryFault } from './country.ts'
export { currencyFault, currencyFormat, isCurrency } from './currency.ts'
export { hasDeceptiveLetter } from './email-address.ts'
export { type Fault, inputError } from './fault.ts'
export { phoneFault } from './phone.ts'
export { isSingleLine } from './single-line.ts'
export { isUnicodeText, listFault, type TextBounds, textFault, unicodeText } from './text.ts'
export {
  alreadyExists,
  clip,
  fillIn,
  type InputError,
  inputSentences,
  invalidFormat,
  invalidValue,
  notFound,
  outOfRange,
  requiredField,
} from './user-error.ts'
