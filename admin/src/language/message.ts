/** A text, or one for a single thing and one for several: `{count}` says how many. `{name}` is replaced by a value. */
type Text = string | { readonly one: string; readonly other: string }

export interface Message {
  readonly en: Text
  readonly de: Text
}
