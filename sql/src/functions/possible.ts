/** The possible texts of a key's value; null if it is computed. */
export type Texts = ReadonlySet<string> | null

/** An object that a function can answer: the value of each key, `outcome` among them. */
export interface Variant {
  readonly keys: ReadonlyMap<string, Texts>
  /** Keys that are left out where they are NULL. */
  readonly optional: ReadonlySet<string>
}

/** The possible values of an expression. */
export interface Possible {
  readonly variants: readonly Variant[]
  readonly canBeNull: boolean
  /** Expressions whose answers aren't known. */
  readonly unknown: readonly string[]
}

export const nothing: Possible = { variants: [], canBeNull: false, unknown: [] }
export const onlyNull: Possible = { ...nothing, canBeNull: true }
export const unknown = (expression: string): Possible => ({ ...nothing, unknown: [expression] })

export const either = (...all: readonly Possible[]): Possible => ({
  variants: [...new Set(all.flatMap(({ variants }) => variants))],
  canBeNull: all.some(({ canBeNull }) => canBeNull),
  unknown: [...new Set(all.flatMap((one) => one.unknown))],
})

/** The possible values of `a || b`. */
export const merged = (a: Possible, b: Possible): Possible => ({
  variants: a.variants.flatMap((one) =>
    b.variants.map((other) => ({
      keys: new Map([...one.keys, ...other.keys]),
      optional: new Set([...one.optional, ...other.optional]),
    })),
  ),
  canBeNull: a.canBeNull || b.canBeNull,
  unknown: [...a.unknown, ...b.unknown],
})

/** Every outcome as a variant of its own. */
export function byOutcome({ variants }: Possible): ReadonlyMap<string | null, readonly Variant[]> {
  const found = new Map<string | null, Variant[]>()
  for (const variant of variants) {
    for (const outcome of outcomesOf(variant)) found.set(outcome, [...(found.get(outcome) ?? []), variant])
  }
  return found
}

const outcomesOf = ({ keys }: Variant): readonly (string | null)[] => [...(keys.get('outcome') ?? [null])]

/** Those whose outcome is this one, or isn't. */
export function narrowed(possible: Possible, outcome: string, isIt: boolean): Possible {
  const variants = possible.variants.flatMap((variant): readonly Variant[] => {
    const outcomes = outcomesOf(variant).filter((one) => (one === outcome) === isIt)
    const texts = new Set(outcomes.filter((one) => one !== null))
    return outcomes.length === 0 ? [] : [{ ...variant, keys: new Map([...variant.keys, ['outcome', texts]]) }]
  })
  return { ...possible, variants }
}
