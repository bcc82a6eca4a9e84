import { isDeepStrictEqual } from 'node:util'
import { allOf, always, type Predicate, type Value } from '../schema/predicate.ts'

/**
 * A role's filter without the alternatives (`_or`) of which the client's own condition says one already: for each row that the
 * client asks for, `status = 'ACTIVE' AND (status = 'ACTIVE' OR …)` is the first part alone. The rows stay the same, and Postgres may
 * read them from an index that lacks what the other alternatives need.
 */
export const withoutImplied = (filter: Predicate, asked: Predicate): Predicate =>
  withoutKnown(filter, conjuncts(asked).map(withConstant))

function withoutKnown(filter: Predicate, known: readonly Predicate[]): Predicate {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.operands.map((operand) => withoutKnown(operand, known)))
    case 'permission':
      return { kind: 'permission', predicate: withoutKnown(filter.predicate, known) }
    case 'or':
      return filter.operands.some((operand) => isImplied(operand, known)) ? always : filter
    default:
      return filter
  }
}

const isImplied = (condition: Predicate, known: readonly Predicate[]): boolean =>
  conjuncts(condition).every((part) => known.some((each) => isDeepStrictEqual(each, part)))

/** The conditions of which all have to be true. */
const conjuncts = (predicate: Predicate): readonly Predicate[] =>
  predicate.kind === 'and' ? predicate.operands.flatMap(conjuncts) : [predicate]

/** A client's comparison with a literal of its document, as a permission's comparison with the same text. */
const withConstant = (predicate: Predicate): Predicate =>
  predicate.kind === 'compare' ? { ...predicate, right: constantOf(predicate.right) } : predicate

const constantOf = (value: Value): Value =>
  value.kind === 'parameter' && value.source.kind === 'literal'
    ? { kind: 'constant', text: value.source.text, type: value.type }
    : value
