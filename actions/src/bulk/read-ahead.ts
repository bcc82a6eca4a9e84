/** The items of a generator, each of which is made while the one before it is dealt with. One is in memory besides. */
export async function* readAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next()
  try {
    for (;;) {
      const item = await next
      if (item.done === true) return
      next = items.next()
      // Its failure is reported when it is its turn.
      next.catch(() => undefined)
      yield item.value
    }
  } finally {
    await next.catch(() => undefined)
    await items.return(undefined)
  }
}
