import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultTemplates } from './default-templates.ts'
import { formatMoney } from './format.ts'
import { templateKinds } from './message-kind.ts'
import { sampleOccasion, sampleShop } from './sample-facts.ts'
import { render, templateFault } from './template.ts'
import { variablesOf } from './variables.ts'

const enclosed = { unsubscribeUrl: null, token: 'a-token', link: 'https://shop.example.com/?token=a-token' }
const order = variablesOf(sampleOccasion('ORDER_CONFIRMATION'), sampleShop, enclosed)

describe('a template', () => {
  test.each(templateKinds)('that is built in for %s is valid and fills in every variable', (kind) => {
    const variables = variablesOf(sampleOccasion(kind), sampleShop, enclosed)
    const template = defaultTemplates[kind]
    for (const source of [template.subject, template.html, template.text])
      expect(templateFault(source, variables)).toBeNull()
    for (const text of Object.values(render(template, variables)))
      expect(text).not.toMatch(/\{\{|undefined|null/)
  })

  test.each([
    ['{{order.numbr}}', /no variable order\.numbr/],
    ['{{constructor}}', /no variable constructor/],
    ['{{#items}}{{order.number}}{{constructor}}{{/items}}', /no variable constructor/],
    ['{{{shop.name}}}', /not be escaped/],
    ['{{&shop.name}}', /not be escaped/],
    ['{{> header}}', /can not be used/],
    ['{{=<% %>=}}', /can not be used/],
    ['{{items}}', /is no text/],
    ['{{#items}}{{#items}}{{name}}{{/items}}{{/items}}', /inside of itself/],
    ['{{#items}}{{name}}', /Unclosed section/],
    ['{{order.number', /Unclosed tag/],
  ])('like %s is refused with a message for its author', (source, fault) => {
    expect(templateFault(source, order)).toMatch(fault)
  })

  test('escapes values in HTML, not in text, and keeps the subject on one line', () => {
    const shop = { ...sampleShop, name: '<b>A</b>\r\nBcc: x@example.com' }
    const variables = variablesOf(sampleOccasion('ORDER_CONFIRMATION'), shop, enclosed)
    const rendered = render(
      { subject: '{{shop.name}}', html: '{{shop.name}}', text: '{{shop.name}}' },
      variables,
    )
    expect(rendered.html).not.toContain('<b>')
    expect(rendered.text).toContain('<b>A</b>')
    expect(rendered.subject).toBe('<b>A</b> Bcc: x@example.com')
  })
})

describe('money', () => {
  test('is exact for every possible amount, and has its currency’s number of digits', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (amount) => {
        const digits = (text: string) => BigInt(text.replaceAll(/\D/g, ''))
        expect(digits(formatMoney(amount, 'USD'))).toBe(BigInt(amount))
        expect(digits(formatMoney(amount, 'HUF'))).toBe(BigInt(amount))
        expect(digits(formatMoney(amount, 'JPY'))).toBe(BigInt(amount))
        expect(digits(formatMoney(amount, 'KWD'))).toBe(BigInt(amount))
      }),
    )
    expect([formatMoney(5, 'USD'), formatMoney(1234, 'JPY'), formatMoney(1, 'KWD')]).toEqual([
      '$0.05',
      '¥1,234',
      'KWD\u00a00.001',
    ])
  })

  test('has the decimals of ISO 4217, and not those of Intl', () => {
    expect([formatMoney(199_900, 'HUF'), formatMoney(1_999, 'ISK'), formatMoney(-5, 'COP')]).toEqual([
      'HUF\u00a01,999.00',
      'ISK\u00a01,999',
      '-COP\u00a00.05',
    ])
  })

  test('and times use the shop’s time zone', () => {
    expect(order['order']).toMatchObject({
      total: '$260.55',
      placedAt: 'Saturday, March 14, 2026 at 8:09 AM PDT',
    })
  })
})
