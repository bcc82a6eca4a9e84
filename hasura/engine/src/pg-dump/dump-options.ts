/**
 * Options that decide what is dumped, and in what form. Other options name a file of this machine, another database or
 * another user, which a client must not choose.
 */
const longOptions: ReadonlySet<string> = new Set([
  'attribute-inserts',
  'blobs',
  'clean',
  'column-inserts',
  'create',
  'data-only',
  'disable-dollar-quoting',
  'disable-triggers',
  'enable-row-security',
  'encoding',
  'exclude-schema',
  'exclude-table',
  'exclude-table-data',
  'extension',
  'extra-float-digits',
  'if-exists',
  'include-foreign-data',
  'inserts',
  'load-via-partition-root',
  'lock-wait-timeout',
  'no-acl',
  'no-blobs',
  'no-comments',
  'no-owner',
  'no-privileges',
  'no-publications',
  'no-security-labels',
  'no-subscriptions',
  'no-sync',
  'no-table-access-method',
  'no-tablespaces',
  'no-toast-compression',
  'no-unlogged-table-data',
  'on-conflict-do-nothing',
  'quote-all-identifiers',
  'restrict-key',
  'rows-per-insert',
  'schema',
  'schema-only',
  'section',
  'serializable-deferrable',
  'strict-names',
  'superuser',
  'table',
  'use-set-session-authorization',
])

/** Any number of letters without a value, then at most one whose value is the rest. */
const shortOptions = /^-[abBcCOsx]*([eEnNStT].*)?$/

/** The first argument that isn't allowed; abbreviations aren't. An option's value may be anything. */
export const refusedOption = (args: readonly string[]): string | undefined =>
  args.find((arg) => {
    if (!arg.startsWith('-')) return false
    const [, long] = /^--([^=]*)/.exec(arg) ?? []
    return long === undefined ? arg === '-' || !shortOptions.test(arg) : !longOptions.has(long)
  })
