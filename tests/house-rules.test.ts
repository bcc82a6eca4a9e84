import { Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import { expect, test } from 'vitest'
import { functionStyle } from '../scripts/lint/function-style.mjs'

const linter = new Linter()
const config = {
  languageOptions: { parser: tseslint.parser },
  plugins: { house: { rules: { 'function-style': functionStyle } } },
  rules: { 'house/function-style': 'error' },
} as Linter.Config

const repaired = (code: string) => linter.verifyAndFix(code, config).output

test.each([
  ['const f = (a: A): B => { g(a); return h(a) }', 'function f(a: A): B { g(a); return h(a) }'],
  ['export const f = async <T>(a: T) => { await g(a) }', 'export async function f<T>(a: T) { await g(a) }'],
  ['function f(a: A): B { return g(a) }', 'const f = (a: A): B => g(a)'],
  ['export async function f() { return { a: 1 } }', 'export const f = async () => ({ a: 1 })'],
])('%s becomes %s', (code, expected) => {
  expect(repaired(code)).toBe(expected)
})

test.each([
  ['a type describes it', 'const f: F = (a) => { g(a); h(a) }'],
  ['a comment says why', 'function f() {\n  // Because.\n  return g()\n}'],
  ['it is used while the module loads', 'const a = f()\nfunction f() { return g() }'],
  ['it asserts', 'function f(a: unknown): asserts a { return g(a) }'],
  ['it has overloads', 'function f(a: A): B\nfunction f(a: C): D\nfunction f(a: any) { return g(a) }'],
  ['it stands inside another', 'const f = (a: A) => g(() => { h(a); i(a) })'],
])('a function is not changed if %s', (_, code) => {
  expect(repaired(code)).toBe(code)
})
