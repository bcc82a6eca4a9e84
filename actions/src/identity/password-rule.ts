import type { UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import { isCommonPassword } from './common-password.ts'

/** Length is what makes a password strong (NIST SP 800-63B), unless it is among those that everyone tries first. */
export const commonPasswordErrors = (field: string, password: string): readonly UserError[] =>
  isCommonPassword(password) ? [invalidValue(field, 'The password is among the first that are guessed')] : []
