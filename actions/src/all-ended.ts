/** As `Promise.all`, but when one fails, it waits for the others before it rejects: nothing is left that runs unseen. */
export async function allEnded<Result>(promises: readonly Promise<Result>[]): Promise<readonly Result[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
