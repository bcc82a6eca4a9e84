/**
 * Whether a text is one line of what can be read: no line break, tab or other control character, no sign that turns the
 * direction of writing. Names go into subjects, mails and labels, where a line break would begin something else.
 */
export const isSingleLine = (text: string): boolean =>
  !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)
