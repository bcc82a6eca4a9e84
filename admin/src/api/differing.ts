/** The fields of which the value is another one than before: nothing else is sent, so nobody's change to another field is undone. */
export function differing<Input extends object>(next: Input, before: Partial<Input>): Partial<Input> {
  const former = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(
    Object.entries(next).filter(([name, value]) => !same(value, former.get(name))),
  ) as Partial<Input>
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
