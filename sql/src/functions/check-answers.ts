import type { AnswerType, Field } from './answer-type.ts'
import type { Declarations } from './declarations.ts'
import { byOutcome, type Possible, type Variant } from './possible.ts'
import type { SqlFunction } from './read-functions.ts'

/** The faults of a declaration; empty if the body answers as declared. */
export function faultsOf(
  source: SqlFunction,
  declared: AnswerType,
  possible: Possible,
  declarations: Declarations,
): readonly string[] {
  const names = new Set(
    source.parameters.map(({ name }) => name).concat(source.columns.map(({ name }) => name)),
  )
  const strangers = [...source.nullable].filter((name) => !names.has(name))
  return [
    ...strangers.map((name) => `nullable: there is no ${name}`),
    ...answerFaults(source, declared, possible, declarations),
  ].map((fault) => `${source.name} in ${source.file}: ${fault}`)
}

function answerFaults(
  { returns, isSet, columns }: SqlFunction,
  declared: AnswerType,
  possible: Possible,
  declarations: Declarations,
): readonly string[] {
  if (declared.kind === 'rows') {
    if (!isSet) return ['declares rows, and returns one value']
    return setFaults(
      'column',
      columns.map(({ name }) => name),
      declared.fields.map(({ name }) => name),
    )
  }
  if (isSet) return ['returns rows, which the declaration must say']
  const members = declarations.membersOf(declared.kind === 'list' ? declared.of : declared)
  if (returns !== 'jsonb') {
    const isReturned = (one: AnswerType) =>
      one.kind === 'name'
        ? one.name === returns || one.name === 'null'
        : one.kind === 'literal' && returns === 'text'
    const others = members.filter((one) => !isReturned(one))
    return others.length === 0 ? [] : [`returns ${returns}`]
  }
  if (possible.unknown.length > 0)
    return [`its body answers what can't be followed: ${possible.unknown.join(', ')}`]
  return [
    ...(possible.canBeNull && !members.some((one) => one.kind === 'name' && one.name === 'null')
      ? ['its body answers NULL, which is not declared']
      : []),
    ...objectFaults(members, possible),
  ]
}

function objectFaults(members: readonly AnswerType[], possible: Possible): readonly string[] {
  const declared = new Map<string | null, Field[]>()
  for (const member of members) {
    if (member.kind !== 'object') continue
    if (declared.has(member.outcome)) return [`${member.outcome ?? 'the object'} is declared twice`]
    declared.set(member.outcome, [...member.fields])
  }
  const answered = byOutcome(possible)
  return [
    ...setFaults('outcome', [...answered.keys()].map(String), [...declared.keys()].map(String)),
    ...[...answered].flatMap(([outcome, variants]) =>
      keyFaults(String(outcome), variants, declared.get(outcome) ?? []),
    ),
  ]
}

function keyFaults(
  outcome: string,
  variants: readonly Variant[],
  fields: readonly Field[],
): readonly string[] {
  const keys = new Set(
    variants.flatMap((variant) => [...variant.keys.keys()]).filter((key) => key !== 'outcome'),
  )
  const isOptional = (key: string) =>
    variants.some((variant) => !variant.keys.has(key) || variant.optional.has(key))
  const shown = (key: string, optional: boolean) => `${outcome}.${key}${optional ? '?' : ''}`
  return [
    ...setFaults(
      'key',
      [...keys].map((key) => shown(key, isOptional(key))),
      fields.map(({ name, optional }) => shown(name, optional)),
    ),
    ...fields.flatMap(({ name, type }) =>
      textFaults(
        `${outcome}.${name}`,
        type,
        variants.map(({ keys: of }) => of.get(name)),
      ),
    ),
  ]
}

/** Of a key whose texts all stand in the body, and are declared one by one. */
function textFaults(
  key: string,
  type: AnswerType,
  texts: readonly (ReadonlySet<string> | null | undefined)[],
): readonly string[] {
  const members = type.kind === 'union' ? type.members : [type]
  const declared = members.flatMap((member) => (member.kind === 'literal' ? [member.value] : []))
  if (declared.length < members.length || texts.includes(null)) return []
  return setFaults(
    `text of ${key}`,
    texts.flatMap((some) => [...(some ?? [])]),
    declared,
  )
}

const setFaults = (
  what: string,
  answered: readonly string[],
  declared: readonly string[],
): readonly string[] => [
  ...[...new Set(answered)]
    .filter((one) => !declared.includes(one))
    .map((one) => `${what} ${one} is not declared`),
  ...declared.filter((one) => !answered.includes(one)).map((one) => `no body answers the ${what} ${one}`),
]
