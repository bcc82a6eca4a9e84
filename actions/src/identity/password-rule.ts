import { addFault, storableText } from '../action/input.ts'
import { isCommonPassword } from './common-password.ts'

/** Length is what makes a password strong (NIST SP 800-63B); the bound above is for the hash's sake. */
const MIN_LENGTH = 10
const MAX_LENGTH = 200

export const newPassword = storableText(MAX_LENGTH).superRefine((value, context) => {
  const length = Array.from(value).length
  if (length === 0) addFault(context, { kind: 'required' })
  else if (length < MIN_LENGTH) {
    addFault(context, { kind: 'range', value: `of ${length} characters`, min: MIN_LENGTH, max: MAX_LENGTH })
  } else if (isCommonPassword(value))
    addFault(context, { kind: 'value', message: 'The password is among the first that are guessed' })
})
