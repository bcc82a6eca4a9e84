import { RuleTester } from 'oxlint/plugins-dev'
import { describe, test } from 'vitest'
import house from '../scripts/lint/house.mjs'

RuleTester.describe = describe
RuleTester.it = test

const tester = new RuleTester({ languageOptions: { sourceType: 'module', parserOptions: { lang: 'ts' } } })

tester.run('one way to write a function', house.rules['function-style'], {
  invalid: [
    ['const f = (a: A): B => { g(a); return h(a) }', 'function f(a: A): B { g(a); return h(a) }'],
    ['export const f = async <T>(a: T) => { await g(a) }', 'export async function f<T>(a: T) { await g(a) }'],
    ['function f(a: A): B { return g(a) }', 'const f = (a: A): B => g(a)'],
    ['export async function f() { return { a: 1 } }', 'export const f = async () => ({ a: 1 })'],
  ].map(([code = '', output = '']) => ({ name: `${code} becomes ${output}`, code, output, errors: 1 })),
  valid: [
    { name: 'a type describes it', code: 'const f: F = (a) => { g(a); h(a) }' },
    { name: 'a comment says why', code: 'function f() {\n  // Because.\n  return g()\n}' },
    { name: 'it is used while the module loads', code: 'const a = f()\nfunction f() { return g() }' },
    { name: 'it asserts', code: 'function f(a: unknown): asserts a { return g(a) }' },
    {
      name: 'it has overloads',
      code: 'function f(a: A): B\nfunction f(a: C): D\nfunction f(a: any) { return g(a) }',
    },
    { name: 'it stands inside another', code: 'const f = (a: A) => g(() => { h(a); i(a) })' },
  ],
})

tester.run('one way to write a name', house.rules.names, {
  invalid: [
    { code: 'const line_items = 1', errors: [{ messageId: 'value' }] },
    { code: 'for (const line_item of items) f(line_item)', errors: [{ messageId: 'value' }] },
    { code: 'function line_total() { f(); g() }', errors: [{ messageId: 'value' }] },
    { code: 'interface lineItem { a: 1 }', errors: [{ messageId: 'type' }] },
    { code: 'type Line_item = 1', errors: [{ messageId: 'type' }] },
    { code: 'class order {}', errors: [{ messageId: 'type' }] },
    { code: 'type F<item> = item', errors: [{ messageId: 'type' }] },
  ],
  valid: [
    'const lineItems = 1, LineItem = 2',
    'const { line_items } = row',
    'const [first_row] = rows',
    'type LineItem<_Unused, Row2> = 1',
  ],
})

tester.run('no meaning of a message’s text', house.rules['message-texts'], {
  invalid: [
    { code: "if (error.message.includes('duplicate')) f()", errors: 1 },
    { code: "if (message.startsWith('duplicate')) f()", errors: 1 },
    { code: 'if (/duplicate/.test(error.message)) f()', errors: 1 },
    { code: 'const [, name] = pattern.exec(message)', errors: 1 },
  ],
  valid: [
    "if (error.code.startsWith('23')) f()",
    'log(error.message)',
    'const short = message.slice(0, 500)',
  ],
})
