import type {
  BookingServicePartsFragment,
  CreateBookingServiceInput,
  UpdateBookingServiceInput,
} from '../generated/operations.ts'

export type LoadedService = BookingServicePartsFragment

/** What has to be paid beforehand. The API has two fields for it: the policy, and which deposit is said. */
export type Beforehand = 'nothing' | 'depositAmount' | 'depositPercent' | 'all'

/** A service as one types it. Money is in the currency's own unit, and a number that is left out is NaN. */
export interface ServiceDraft {
  readonly name: string
  readonly description: string
  readonly duration: number
  readonly price: number
  readonly beforehand: Beforehand
  readonly depositAmount: number
  readonly depositPercent: number
  readonly noShowFee: number
  readonly cancellationMinutes: number
  /** How many it needs of each kind, by the kinds' names. */
  readonly resources: Readonly<Record<string, number>>
}

export const newService: ServiceDraft = {
  name: '',
  description: '',
  duration: 30,
  price: 0,
  beforehand: 'nothing',
  depositAmount: NaN,
  depositPercent: NaN,
  noShowFee: NaN,
  cancellationMinutes: 0,
  resources: {},
}

function beforehandOf({ paymentPolicy, depositPercent }: LoadedService): Beforehand {
  switch (paymentPolicy) {
    case 'NONE':
      return 'nothing'
    case 'FULL':
      return 'all'
    case 'DEPOSIT':
      return depositPercent === null ? 'depositAmount' : 'depositPercent'
    default:
      return paymentPolicy satisfies never
  }
}

/** @param units of the smallest unit, in one of the currency */
export function serviceDraftOf(service: LoadedService, units: number): ServiceDraft {
  const major = (minor: number | null) => (minor === null ? NaN : minor / units)
  return {
    name: service.name,
    description: service.description ?? '',
    duration: service.duration,
    price: service.price / units,
    beforehand: beforehandOf(service),
    depositAmount: major(service.depositAmount),
    depositPercent: service.depositPercent ?? NaN,
    noShowFee: major(service.noShowFee),
    cancellationMinutes: service.cancellationMinutes,
    resources: Object.fromEntries(service.resources.map(({ kind, quantity }) => [kind, quantity])),
  }
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

function termsOf({ beforehand, depositAmount, depositPercent }: ServiceDraft, units: number) {
  const policies = {
    nothing: 'NONE',
    depositAmount: 'DEPOSIT',
    depositPercent: 'DEPOSIT',
    all: 'FULL',
  } as const
  return {
    paymentPolicy: policies[beforehand],
    depositAmount: beforehand === 'depositAmount' ? orNull(Math.round(depositAmount * units)) : null,
    depositPercent: beforehand === 'depositPercent' ? orNull(depositPercent) : null,
  }
}

const requirementsOf = (resources: ServiceDraft['resources']) =>
  Object.entries(resources)
    .filter(([, quantity]) => quantity > 0)
    .map(([kind, quantity]) => ({ kind, quantity }))

/** What is sent of the fields that were changed. The terms of payment belong together. */
export function serviceChanges(
  changed: Partial<ServiceDraft>,
  draft: ServiceDraft,
  units: number,
): UpdateBookingServiceInput {
  const { description, price, beforehand, depositAmount, depositPercent, noShowFee, resources, ...others } =
    changed
  const hasTerms = [beforehand, depositAmount, depositPercent].some((each) => each !== undefined)
  return {
    ...others,
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(price !== undefined && { price: Math.round(price * units) }),
    ...(hasTerms && termsOf(draft, units)),
    ...(noShowFee !== undefined && { noShowFee: orNull(Math.round(noShowFee * units)) }),
    ...(resources !== undefined && { resources: requirementsOf(resources) }),
  }
}

export function serviceInput(
  draft: ServiceDraft,
  currency: string,
  units: number,
): CreateBookingServiceInput {
  const { name, description, duration, price, noShowFee, cancellationMinutes, resources } = draft
  return {
    name,
    description: description === '' ? null : description,
    duration,
    price: Math.round(price * units),
    currency,
    ...termsOf(draft, units),
    noShowFee: orNull(Math.round(noShowFee * units)),
    cancellationMinutes,
    resources: requirementsOf(resources),
  }
}
