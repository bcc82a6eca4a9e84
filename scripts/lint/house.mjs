import { functionStyle } from './function-style.mjs'
import { messageTexts } from './message-texts.mjs'
import { names } from './names.mjs'

/** The rules of this repository that no linter has, as a plugin. */
export default {
  meta: { name: 'house' },
  rules: { 'function-style': functionStyle, 'message-texts': messageTexts, names },
}
