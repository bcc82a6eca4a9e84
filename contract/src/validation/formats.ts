import { countryCode, countryFault } from '../input/country.ts'
import { currencyFault } from '../input/currency.ts'
import { hasDeceptiveLetter, isEmailAddress } from '../input/email-address.ts'
import type { Fault } from '../input/fault.ts'
import { type InnerFault, metadataFaults } from '../input/metadata.ts'
import { isNetwork } from '../input/network.ts'
import { originOf } from '../input/origin.ts'
import { phoneFault } from '../input/phone.ts'
import { slugFault } from '../input/slug.ts'
import { textFault } from '../input/text.ts'
import { isTimeZone } from '../input/time-zone.ts'
import { outOfRange } from '../errors/user-error.ts'

/** A form that `@format` names. */
export interface Format {
  /** The form in words, for descriptions. */
  readonly phrase: string
  readonly faultOf: (value: string | number) => Fault | null
  /** The faults inside of a JSON object. */
  readonly faultsIn?: (value: unknown) => readonly InnerFault[]
  /** The value as it is kept, of one without a fault. */
  readonly kept?: (value: string) => string
}

const ofText =
  (faultOf: (text: string) => Fault | null): Format['faultOf'] =>
  (value) =>
    typeof value === 'string' ? faultOf(value) : null

const matching = (pattern: RegExp, phrase: string): Format => ({
  phrase,
  faultOf: ofText((text) => {
    if (text.trim() === '') return { kind: 'required' }
    return pattern.test(text) ? null : { kind: 'format', expected: phrase }
  }),
})

const couponCodeBounds = { lines: 'one', min: 1, max: 100 } as const

export const formats = {
  country: {
    phrase: 'a country’s ISO 3166-1 alpha-2 code, alpha-3 code or English name',
    faultOf: ofText(countryFault),
    kept: (value) => countryCode(value) ?? value,
  },
  // As the customer typed it; whether there is such a code is the promotions' to say.
  couponCode: {
    phrase: `1 to ${couponCodeBounds.max} characters, in one line`,
    faultOf: ofText((text) => textFault(text, couponCodeBounds)),
    kept: (value) => value.trim(),
  },
  currency: { phrase: 'ISO 4217 currency code, for example USD', faultOf: ofText(currencyFault) },
  emailAddress: {
    phrase: 'e-mail address',
    faultOf: ofText((text) => {
      if (text.trim() === '') return { kind: 'required' }
      return isEmailAddress(text) && !hasDeceptiveLetter(text)
        ? null
        : { kind: 'format', expected: 'e-mail address' }
    }),
  },
  endOfDayTime: matching(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'time of day from 00:00 to 24:00'),
  mediaType: matching(
    /^[a-z]{1,30}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,89}$/,
    'media type in lower case, without parameters, for example image/jpeg',
  ),
  metadata: {
    phrase: 'an object of namespaces, each an object of keys and values',
    faultOf: () => null,
    faultsIn: metadataFaults,
  },
  metadataName: matching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/, '1 to 64 letters, digits, _ and -'),
  network: {
    phrase: 'IP address or CIDR range such as 203.0.113.7 or 203.0.113.0/24',
    faultOf: ofText((text) =>
      isNetwork(text.trim())
        ? null
        : { kind: 'format', expected: 'IP address or CIDR range such as 203.0.113.7 or 203.0.113.0/24' },
    ),
    kept: (value) => value.trim(),
  },
  origin: {
    phrase: 'an origin, like https://shop.example or http://localhost:3000',
    faultOf: ofText((text) =>
      originOf(text) === null
        ? { kind: 'format', expected: 'an origin, like https://shop.example or http://localhost:3000' }
        : null,
    ),
    kept: (value) => originOf(value) ?? value,
  },
  // Tokens and sources are what older integrations of Stripe have. A card's number is never one of them.
  paymentMethodId: matching(/^(pm|card|tok|src|ba)_\w{1,250}$/, 'id of a payment method, like pm_…'),
  phone: { phrase: 'phone number, for example +49 30 123456 or (503) 555-9573', faultOf: ofText(phoneFault) },
  // The specification calls a price of zero an INVALID_VALUE, which other numbers out of range are not.
  price: {
    phrase: 'above zero',
    faultOf: (value) =>
      typeof value === 'number' && value <= 0
        ? { kind: 'value', message: outOfRange('', value, 1, Number.MAX_SAFE_INTEGER).message }
        : null,
  },
  promotionCode: matching(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'up to 64 letters, digits, hyphens and underscores',
  ),
  slug: { phrase: 'lower-case letters, digits and single hyphens', faultOf: ofText(slugFault) },
  timeOfDay: matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'time of day from 00:00 to 23:59'),
  timeZone: {
    phrase: 'IANA time zone such as Europe/Berlin',
    faultOf: ofText((text) => {
      if (text.trim() === '') return { kind: 'required' }
      return isTimeZone(text) ? null : { kind: 'format', expected: 'IANA time zone such as Europe/Berlin' }
    }),
  },
} as const satisfies Readonly<Record<string, Format>>

export type FormatName = keyof typeof formats

export const isFormatName = (name: string): name is FormatName => Object.hasOwn(formats, name)

export const formatNamed = (name: FormatName): Format => formats[name]
