import type { StripeAnswer } from './stripe-error.ts'

/**
 * The answer as Stripe gives it: a charge in it, or a setup's method, is only its id, unless the request asks for the whole.
 * @param paths what is asked for in full, like `latest_charge`, or `data.latest_charge` of a list
 */
export const presented = ({ status, body }: StripeAnswer, paths: ReadonlySet<string>): StripeAnswer => ({
  status,
  body: collapsed(body, '', paths) as object,
})

/** The same of an object in an event, where nothing is in full. */
export const unexpanded = (object: object): object => collapsed(object, '', new Set()) as object

function collapsed(value: unknown, path: string, paths: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((element) => collapsed(element, path, paths))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const place = path === '' ? name : `${path}.${name}`
      const isShown = name !== 'latest_charge' && !(name === 'payment_method' && isSetup(value))
      const isId = !isShown && inner !== null && !paths.has(place)
      return [name, isId ? (inner as { readonly id: string }).id : collapsed(inner, place, paths)]
    }),
  )
}

const isSetup = (value: object): boolean => 'object' in value && value.object === 'setup_intent'
