import type { InputRule } from '@commerce-graph/contract'

/**
 * Gives the texts of CSV cells the types of their fields: numbers, `true` and `false`, lists with `|` between their entries. A
 * text of another form stays, and the rules refuse it.
 */
export function typedCells(rule: InputRule, value: unknown): unknown {
  switch (rule.kind) {
    case 'leaf':
      return typeof value === 'string' ? typedCell(rule.type, value) : value
    case 'list':
      if (Array.isArray(value)) return value.map((entry: unknown) => typedCells(rule.item, entry))
      if (typeof value !== 'string') return byName(rule.item, value)
      // `5` as a product's stock. A tag or a category that is a number is a text as others are.
      return rule.item.kind === 'object' && isNumber(value)
        ? Number(value)
        : value.split('|').map((entry) => typedCells(rule.item, entry.trim()))
    case 'object': {
      if (typeof value !== 'object' || value === null) return value
      const rules = new Map(rule.fields().map((field) => [field.name, field.rule]))
      return Object.fromEntries(
        Object.entries(value).map(([name, entry]) => {
          const of = rules.get(name)
          return [name, of === undefined ? entry : typedCells(of, entry)]
        }),
      )
    }
    default:
      return rule satisfies never
  }
}

const isNumber = (text: string): boolean => /^-?\d{1,15}(\.\d+)?$/.test(text.trim())

function typedCell(type: string, text: string): unknown {
  switch (type) {
    case 'Int':
    case 'Float':
    case 'Money':
      return isNumber(text) ? Number(text) : text
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    default:
      return text
  }
}

/** Columns such as `stock.BEND` and `options.Size`: units by warehouse, which are numbers, and values by option, which are texts. */
function byName(item: InputRule, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const type = item.kind === 'object' && hasCount(item) ? 'Int' : 'String'
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]: [string, unknown]) => [
      name,
      typeof entry === 'string' ? typedCell(type, entry) : entry,
    ]),
  )
}

const hasCount = (item: Extract<InputRule, { kind: 'object' }>): boolean =>
  item.fields().some(({ rule }) => rule.kind === 'leaf' && rule.type === 'Int')
