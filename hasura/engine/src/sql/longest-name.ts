/** Bytes of a name that Postgres keeps. It truncates longer ones. */
export const longestName = 63
