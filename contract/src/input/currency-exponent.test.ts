import { expect, test } from 'vitest'
import { currencyExponent, unusualExponents } from './currency-exponent.ts'

/** The codes with two decimals in ISO 4217, and those of HRK and SLL, which had two until they were withdrawn. */
const twoDecimals =
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUC CUP CVE CZK DKK
  DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR
  LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD
  SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD XCG YER ZAR ZMW ZWG
  ZWL`.split(/\s+/)

/** Units of account between states: ISO 4217 gives them no minor unit, and here they have two decimals. */
const withoutMinorUnit = ['XDR', 'XSU']

// Which codes the contract accepts is ICU's list: one that a later Node brings has to be looked up in ISO 4217.
test('the exponent of every currency that the contract accepts was looked up', () => {
  const lookedUp = new Set([...twoDecimals, ...withoutMinorUnit, ...Object.keys(unusualExponents)])
  expect(Intl.supportedValuesOf('currency').filter((code) => !lookedUp.has(code))).toEqual([])
  expect(twoDecimals.filter((code) => currencyExponent(code) !== 2)).toEqual([])
})

test.each([
  ['USD', 2],
  ['HUF', 2],
  ['COP', 2],
  ['MGA', 2],
  ['ISK', 0],
  ['UGX', 0],
  ['JPY', 0],
  ['KWD', 3],
  ['CLF', 4],
])('a minor unit of %s has %i decimals, whatever Intl says', (currency, digits) => {
  expect(currencyExponent(currency)).toBe(digits)
})
