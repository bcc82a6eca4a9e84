import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type StringValueNode,
} from 'graphql'
import type { TextBounds } from '../input/text.ts'
import { type FormatName, isFormatName } from '../validation/formats.ts'
import type { Bounds } from './bounds.ts'
import { boundSentence } from './bound-sentence.ts'

const boundDirectives: ReadonlySet<string> = new Set(['length', 'range', 'list', 'format', 'notNull'])

/** Collects the bounds while the SDL is composed, and takes the directives out of it. */
export class BoundRegister {
  readonly #bounds = new Map<string, Bounds>()

  /** @param path `Type.field` of an input, `Mutation.field.argument` of an argument */
  of(path: string): Bounds {
    return this.#bounds.get(path) ?? {}
  }

  get paths(): readonly string[] {
    return [...this.#bounds.keys()]
  }

  /** The bounds of a text. Throws where it has none. */
  textOf(path: string): TextBounds {
    const { min, max, multiline } = given(this.of(path).length, path)
    return { lines: multiline ? 'any' : 'one', min, max }
  }

  /** The maximum number of entries of a list. Throws if the list has no bound. */
  mostEntriesOf(path: string): number {
    return given(this.of(path).list, path).max
  }

  /** From where to where a number goes. Throws where it has no such ends. */
  rangeOf(path: string): { readonly min: number; readonly max: number } {
    const { min, max } = given(this.of(path).range, path)
    return { min: given(min, path), max: given(max, path) }
  }

  /** The definition without the directives of bounds, which the register and the descriptions state now. */
  takeFrom(definition: DefinitionNode): DefinitionNode {
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION: {
        const type = definition.name.value
        const fields = definition.fields?.map((field) => ({
          ...field,
          ...(field.arguments && {
            arguments: field.arguments.map((argument) => this.#take(`${type}.${field.name.value}`, argument)),
          }),
        }))
        return { ...definition, ...(fields && { fields }) }
      }
      case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
        const type = definition.name.value
        const fields = definition.fields?.map((field) => this.#take(type, field))
        return { ...definition, ...(fields && { fields }) }
      }
      default:
        return definition
    }
  }

  #take(of: string, node: InputValueDefinitionNode): InputValueDefinitionNode {
    const path = `${of}.${node.name.value}`
    const given = (node.directives ?? []).filter(({ name }) => boundDirectives.has(name.value))
    if (given.length === 0) return node
    const bounds = boundsOf(given, path)
    this.#bounds.set(path, bounds)
    return {
      ...node,
      directives: node.directives?.filter((directive) => !given.includes(directive)) ?? [],
      description: describe(node.description, boundSentence(bounds)),
    }
  }
}

function given<Bound>(bound: Bound | null | undefined, path: string): Bound {
  if (bound == null) throw new Error(`The SDL says no such bound of ${path}`)
  return bound
}

const describe = (description: StringValueNode | undefined, sentence: string): StringValueNode => ({
  kind: Kind.STRING,
  value: [description?.value, sentence].filter((text) => text).join(' '),
})

function boundsOf(directives: readonly ConstDirectiveNode[], path: string): Bounds {
  const named = (name: string) => directives.find((directive) => directive.name.value === name)
  const length = named('length')
  const range = named('range')
  const list = named('list')
  const format = named('format')
  return {
    ...(length && {
      length: {
        min: numberOf(length, 'min') ?? 0,
        max: needed(numberOf(length, 'max'), path, '@length needs a max'),
        multiline: isTrue(length, 'multiline'),
      },
    }),
    ...(range && { range: { min: numberOf(range, 'min'), max: numberOf(range, 'max') } }),
    ...(list && {
      list: {
        min: numberOf(list, 'min') ?? 0,
        max: needed(numberOf(list, 'max'), path, '@list needs a max'),
      },
    }),
    ...(format && { format: formatOf(format, path) }),
    ...(named('notNull') && { notNull: true as const }),
  }
}

function formatOf(directive: ConstDirectiveNode, path: string): FormatName {
  const value = argumentOf(directive, 'as')
  if (value?.kind === Kind.STRING && isFormatName(value.value)) return value.value
  throw new Error(`${path}: there is no such @format`)
}

const argumentOf = (directive: ConstDirectiveNode, argument: string) =>
  directive.arguments?.find(({ name }) => name.value === argument)?.value

function numberOf(directive: ConstDirectiveNode, argument: string): number | null {
  const value = argumentOf(directive, argument)
  return value?.kind === Kind.INT || value?.kind === Kind.FLOAT ? Number(value.value) : null
}

function isTrue(directive: ConstDirectiveNode, argument: string): boolean {
  const value = argumentOf(directive, argument)
  return value?.kind === Kind.BOOLEAN && value.value
}

function needed(value: number | null, path: string, message: string): number {
  if (value === null) throw new Error(`${path}: ${message}`)
  return value
}
