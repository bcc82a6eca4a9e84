/** The parts of the platform that can run as processes of their own (`npm start -- --role …`). */
export const roles = ['gateway', 'engine', 'actions', 'webhook', 'worker'] as const
export type Role = (typeof roles)[number]

export type RoleChoice =
  /** Everything in one process, which also prepares the database. */
  | { readonly kind: 'all' }
  /** Only these; the others run elsewhere, and `npm run migrate` prepares the database. */
  | { readonly kind: 'some'; readonly roles: ReadonlySet<Role> }
  | { readonly kind: 'unknown'; readonly problem: string }

/** @param text as after `--role`: names with commas between them */
export function parseRoles(text: string): RoleChoice {
  const names = text.split(',').map((name) => name.trim())
  if (names.length === 1 && names[0] === 'all') return { kind: 'all' }
  const known = roles.filter((role) => names.includes(role))
  const unknown = names.filter((name) => !roles.some((role) => role === name))
  return unknown.length > 0
    ? {
        kind: 'unknown',
        problem: `--role has ${unknown.map((name) => JSON.stringify(name)).join(', ')}: it takes ${roles.join(', ')} with commas between them, or all alone`,
      }
    : { kind: 'some', roles: new Set(known) }
}
