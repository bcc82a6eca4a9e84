/**
 * The value of an input at an error's field; undefined where the input has nothing.
 *
 * @param path steps with dots between them: `items.0.productId`
 */
export const valueAt = (input: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (found, step) =>
        typeof found === 'object' && found !== null && Object.hasOwn(found, step)
          ? (found as Readonly<Record<string, unknown>>)[step]
          : undefined,
      input,
    )
