export { cardNumberFields, cardNumberMessage } from './card-number-fields.ts'
export { holdsCardNumber } from './card-number.ts'
export { countryCode, countryFault } from './country.ts'
export { currencyExponent } from './currency-exponent.ts'
export { currencyFault, currencyFormat, isCurrency } from './currency.ts'
export { isCalendarDate, isDateTime } from './date-time.ts'
export { hasDeceptiveLetter, isEmailAddress } from './email-address.ts'
export { type Fault, inputError } from './fault.ts'
export { cellOfText, textOfCell } from './formula-cell.ts'
export { metadataError, metadataFaults } from './metadata.ts'
export { phoneFault } from './phone.ts'
export { isSingleLine } from './single-line.ts'
export { slugFault } from './slug.ts'
export { isUnicodeText, listFault, type TextBounds, textFault, unicodeText } from './text.ts'
export { isTimeZone } from './time-zone.ts'
export { isHttpUrl } from './url.ts'
export { utf8Texts } from './utf8-texts.ts'
export { valueAt } from './value-at.ts'
export {
  alreadyExists,
  invalidCoupon,
  invalidFormat,
  invalidValue,
  notFound,
  outOfRange,
  requiredField,
  type UserError,
  type UserErrorCode,
} from '../errors/user-error.ts'
