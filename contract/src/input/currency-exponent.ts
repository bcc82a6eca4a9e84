/**
 * Digits after the point of the active currencies that have not two, by ISO 4217: list one of its maintenance agency (six-group.com,
 * list-one.xml, as published on 2024-06-25; the currencies that came since then have two).
 *
 * Intl is not asked. Its data say how prices are written in everyday life: without decimals in HUF, COP or IDR, which have two. And
 * each browser and each release of Node has data of its own, while a stored amount has to mean the same to all of them.
 */
export const unusualExponents: Readonly<Record<string, number>> = {
  BHD: 3,
  BIF: 0,
  CLF: 4,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  RWF: 0,
  TND: 3,
  UGX: 0,
  UYI: 0,
  UYW: 4,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
}

/** Digits after the point of a currency: a minor unit is 10 to the power of minus this many. */
export const currencyExponent = (currency: string): number => unusualExponents[currency] ?? 2
