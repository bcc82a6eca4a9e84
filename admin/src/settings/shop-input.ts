interface AccountFields {
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly website: string
  readonly country: string
}

const nullable: ReadonlySet<string> = new Set([
  'phone',
  'website',
  'country',
] satisfies (keyof AccountFields)[])

/** What was changed of the shop's account, as the API takes it: what was emptied and may be empty is taken away. */
export const accountInput = (
  changed: Partial<AccountFields>,
): Partial<Record<keyof AccountFields, string | null>> =>
  Object.fromEntries(
    Object.entries(changed).map(([name, text]) => [name, text === '' && nullable.has(name) ? null : text]),
  )

/** A rate of taxes, with as many digits as the database keeps: 8.875 % is 0.08875. A step would round what is typed. */
export const taxRateFormat: Intl.NumberFormatOptions = { style: 'percent', maximumFractionDigits: 4 }
