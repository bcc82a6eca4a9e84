import { KritiError } from './kriti-error.ts'
import { type Operator, type Step, type Template, precedence } from './syntax.ts'

/** Limits. People write templates; deeper or longer ones are mistakes. */
const maxDepth = 100
const maxTemplateLength = 200_000

const identifier = /\$?[A-Za-z][$\w-]*|\$/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const blank = /(?:\s|#[^\n]*)+/y
const keywords: ReadonlySet<string> = new Set(['if', 'elif', 'else', 'end', 'range', 'in'])

/** Parses a template. Throws KritiError. */
export function parseTemplate(source: string): Template {
  if (source.length > maxTemplateLength)
    throw new KritiError('Parse Error Code', `a template has at most ${maxTemplateLength} characters`, 0)
  return new Parser(source).whole()
}

/**
 * A recursive descent parser without a lexer: only the context decides whether `}}` ends an expression or two objects.
 */
class Parser {
  readonly #source: string
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
  }

  whole(): Template {
    const template = this.#expression(0)
    this.#skipBlank()
    if (this.#at < this.#source.length) throw this.#unexpected()
    return template
  }

  /** Operators of this level of precedence, and those that bind tighter. */
  #expression(level: number): Template {
    const operators = precedence[level]
    if (operators === undefined) return this.#application()
    let left = this.#expression(level + 1)
    for (;;) {
      const at = this.#at
      const operator = operators.find((each) => this.#takesOperator(each))
      if (operator === undefined) return left
      left = { kind: 'operation', operator, left, right: this.#expression(level + 1), at }
    }
  }

  #takesOperator(operator: Operator): boolean {
    return operator === 'in' ? this.#takesWord('in') : this.#takes(operator)
  }

  /** `toLower $body.name`, `not(x)`: a function's name and its argument. */
  #application(): Template {
    const at = this.#position()
    const word = this.#peekWord()
    if (word === undefined || keywords.has(word) || isLiteral(word)) return this.#lookup()
    this.#at += word.length
    if (!this.#startsValue()) {
      this.#at = at
      return this.#lookup()
    }
    const argument = this.#nested(() => this.#application())
    return { kind: 'call', name: word, argument, at }
  }

  /** After a name: whether an argument follows, and not a path into the name's value. */
  #startsValue(): boolean {
    if (/[.?[]/.test(this.#source[this.#at] ?? '')) return false
    this.#skipBlank()
    const next = this.#source[this.#at] ?? ''
    if (/["'({[\d-]/.test(next)) return true
    const word = this.#peekWord()
    return word !== undefined && !keywords.has(word)
  }

  #lookup(): Template {
    const target = this.#nested(() => this.#atom())
    const steps: Step[] = []
    for (let step = this.#step(); step !== undefined; step = this.#step()) steps.push(step)
    return steps.length === 0 ? target : { kind: 'lookup', target, steps }
  }

  #step(): Step | undefined {
    const at = this.#at
    if (this.#source.startsWith('??', at)) return undefined
    const optional = this.#source[at] === '?'
    if (optional) this.#at += 1
    if (this.#source[this.#at] === '.') {
      this.#at += 1
      return { key: { kind: 'literal', value: this.#name() }, optional, at }
    }
    if (this.#source[this.#at] === '[') {
      this.#at += 1
      const key = this.#takes("'") ? this.#quotedKey() : this.#expression(0)
      this.#require(']')
      return { key, optional, at }
    }
    this.#at = at
    return undefined
  }

  #quotedKey(): Template {
    const end = this.#source.indexOf("'", this.#at)
    if (end < 0) throw this.#unexpected()
    const value = this.#source.slice(this.#at, end)
    this.#at = end + 1
    return { kind: 'literal', value }
  }

  #atom(): Template {
    const at = this.#position()
    if (this.#takes('{{')) return this.#braces(at)
    if (this.#takes('{')) return this.#object()
    if (this.#takes('[')) return { kind: 'array', items: this.#list(']', () => this.#expression(0)) }
    if (this.#takes('"')) return this.#text(at)
    if (this.#takes('(')) {
      const inner = this.#expression(0)
      this.#require(')')
      return inner
    }
    const digits = this.#match(number)
    if (digits !== undefined) return { kind: 'literal', value: Number(digits) }
    const word = this.#peekWord()
    if (word === undefined || keywords.has(word)) throw this.#unexpected()
    this.#at += word.length
    if (word === 'null') return { kind: 'literal', value: null }
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' }
    return { kind: 'variable', name: word, at }
  }

  /** Parses the rest after `{{`. */
  #braces(at: number): Template {
    if (this.#takesWord('if')) return this.#if(at)
    if (this.#takesWord('range')) return this.#range(at)
    const inner = this.#expression(0)
    this.#require('}}')
    return inner
  }

  #if(at: number): Template {
    const branches = []
    for (;;) {
      const condition = this.#expression(0)
      this.#require('}}')
      branches.push({ condition, then: this.#expression(0) })
      this.#require('{{')
      if (this.#takesWord('elif')) continue
      if (!this.#takesWord('else')) throw this.#unexpected()
      this.#require('}}')
      const otherwise = this.#expression(0)
      this.#end()
      return { kind: 'if', branches, otherwise, at }
    }
  }

  #range(at: number): Template {
    const index = this.#takes('_') ? undefined : this.#name()
    this.#require(',')
    const item = this.#name()
    this.#require(':=')
    const list = this.#expression(0)
    this.#require('}}')
    const body = this.#expression(0)
    this.#end()
    return { kind: 'range', index, item, list, body, at }
  }

  #end(): void {
    this.#require('{{')
    if (!this.#takesWord('end')) throw this.#unexpected()
    this.#require('}}')
  }

  #object(): Template {
    const fields = this.#list('}', (): readonly [string, Template] => {
      const at = this.#position()
      this.#require('"')
      const key = this.#text(at)
      if (key.kind !== 'literal' || typeof key.value !== 'string')
        throw new KritiError('Parse Error Code', 'the key of an object is a plain text', at)
      this.#require(':')
      return [key.value, this.#expression(0)]
    })
    return { kind: 'object', fields }
  }

  #list<Item>(end: ']' | '}', item: () => Item): readonly Item[] {
    const items: Item[] = []
    if (this.#takes(end)) return items
    do items.push(item())
    while (this.#takes(','))
    this.#require(end)
    return items
  }

  /** Parses the rest after the opening quote: JSON's text, with expressions in `{{ }}`. */
  #text(at: number): Template {
    const parts: Template[] = []
    let start = this.#at
    const finishPart = (): void => {
      if (this.#at > start) parts.push({ kind: 'literal', value: this.#unescape(start, this.#at) })
    }
    for (;;) {
      const character = this.#source[this.#at]
      if (character === undefined) throw new KritiError('Parse Error Code', 'a text has no end', at)
      if (character === '"') break
      if (this.#source.startsWith('{{', this.#at)) {
        finishPart()
        this.#at += 2
        parts.push(this.#expression(0))
        this.#require('}}')
        start = this.#at
      } else this.#at += character === '\\' ? 2 : 1
    }
    finishPart()
    this.#at += 1
    const [only = { kind: 'literal', value: '' } as const] = parts
    return parts.length < 2 && only.kind === 'literal' ? only : { kind: 'text', parts, at }
  }

  #unescape(from: number, to: number): string {
    // Templates often contain line breaks, which JSON requires to be escaped.
    const text = this.#source
      .slice(from, to)
      .replaceAll(/[\n\r\t]/g, (each) => JSON.stringify(each).slice(1, -1))
    try {
      return JSON.parse(`"${text}"`) as string
    } catch {
      throw new KritiError('Parse Error Code', 'the text has an escape that JSON does not know', from)
    }
  }

  #nested<Result>(parse: () => Result): Result {
    this.#depth += 1
    if (this.#depth > maxDepth)
      throw new KritiError('Parse Error Code', 'the template is nested too deeply', this.#at)
    const result = parse()
    this.#depth -= 1
    return result
  }

  #name(): string {
    this.#skipBlank()
    const name = this.#match(identifier)
    if (name === undefined) throw this.#unexpected()
    return name
  }

  #peekWord(): string | undefined {
    this.#skipBlank()
    const at = this.#at
    const word = this.#match(identifier)
    this.#at = at
    return word
  }

  #takesWord(word: string): boolean {
    if (this.#peekWord() !== word) return false
    this.#at += word.length
    return true
  }

  #takes(symbol: string): boolean {
    this.#skipBlank()
    if (!this.#source.startsWith(symbol, this.#at)) return false
    this.#at += symbol.length
    return true
  }

  #require(symbol: string): void {
    if (!this.#takes(symbol)) throw this.#unexpected()
  }

  #position(): number {
    this.#skipBlank()
    return this.#at
  }

  #skipBlank(): void {
    this.#match(blank)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#source) ?? []
    if (found !== undefined) this.#at += found.length
    return found
  }

  #unexpected(): KritiError {
    const rest = this.#source.slice(this.#at, this.#at + 20)
    const message = rest === '' ? 'unexpected end of the template' : `unexpected ${JSON.stringify(rest)}`
    return new KritiError('Parse Error Code', message, this.#at)
  }
}

const isLiteral = (word: string): boolean => word === 'null' || word === 'true' || word === 'false'
