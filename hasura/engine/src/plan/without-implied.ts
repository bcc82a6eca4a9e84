import { isDeepStrictEqual } from 'node:util'
import { allOf, always, type Predicate, type Value } from '../schema/predicate.ts'

/**
 * A role's filter without the alternatives (`_or`) of which the client's own condition says one already: for each row that the
 * client asks for, `status = 'ACTIVE' AND (status = 'ACTIVE' OR …)` is the first part alone. The rows stay the same, and Postgres may
 * read them from an index that lacks what the other alternatives need.
 */
export function withoutImplied(filter: Predicate, asked: Predicate): Predicate {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.operands.map((operand) => withoutImplied(operand, asked)))
    case 'permission':
      return { kind: 'permission', predicate: withoutImplied(filter.predicate, asked) }
    case 'or':
      return filter.operands.some((operand) => isImplied(operand, asked)) ? always : filter
    default:
      return filter
  }
}

function isImplied(condition: Predicate, asked: Predicate): boolean {
  const known = conjuncts(asked).map(withConstant)
  return conjuncts(condition).every((part) => known.some((each) => isDeepStrictEqual(each, part)))
}

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
