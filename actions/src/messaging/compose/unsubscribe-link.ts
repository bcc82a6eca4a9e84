import type { Template } from './template.ts'

/** Every campaign can be unsubscribed from, whatever its author left out. */
export const withUnsubscribeLink = ({ subject, html, text }: Template): Template => ({
  subject,
  html: html.includes('unsubscribeUrl')
    ? html
    : `${html}\n<p><a href="{{unsubscribeUrl}}">Unsubscribe from {{shop.name}}</a></p>\n`,
  text: text.includes('unsubscribeUrl') ? text : `${text}\n\nUnsubscribe: {{unsubscribeUrl}}\n`,
})
