/** Standard output or standard error: a terminal, a pipe or a file. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

const usualColumns = 80

export const widthOf = ({ columns = usualColumns }: Output): number => columns
