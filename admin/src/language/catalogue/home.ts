import type { Message } from '../message.ts'

export const homeMessages = {
  period: { en: 'Period', de: 'Zeitraum' },
  lastDays: { en: 'Last {count} days', de: 'Letzte {count} Tage' },
  today: { en: 'Today', de: 'Heute' },
  sales: { en: 'Sales', de: 'Umsatz' },
  averageOrder: { en: 'Average order', de: 'Durchschnittliche Bestellung' },
  returningCustomers: { en: 'Returning customers', de: 'Wiederkehrende Kunden' },
  cartConversion: { en: 'Carts that became orders', de: 'Warenkörbe, die Bestellungen wurden' },
  cartsBought: {
    en: { one: '{bought} of {count} cart', other: '{bought} of {count} carts' },
    de: { one: '{bought} von {count} Warenkorb', other: '{bought} von {count} Warenkörben' },
  },
  before: { en: '{value} before', de: 'zuvor {value}' },
  salesByDay: { en: 'Sales by day', de: 'Umsatz nach Tagen' },
  thisPeriod: { en: 'This period', de: 'Dieser Zeitraum' },
  periodBefore: { en: 'The period before', de: 'Der Zeitraum davor' },
  bestProducts: { en: 'Best products', de: 'Beste Produkte' },
  nothingSold: { en: 'Nothing was sold yet', de: 'Noch wurde nichts verkauft' },
  nothingSoldText: {
    en: 'The products with the most sales of the period appear here.',
    de: 'Hier erscheinen die Produkte mit dem meisten Umsatz des Zeitraums.',
  },
  toSend: { en: 'Waiting to be sent', de: 'Warten auf Versand' },
  open: { en: 'Open', de: 'Öffnen' },
  stockAtRisk: { en: 'Stock at risk', de: 'Knapper Bestand' },
  showAll: { en: 'Show all {count}', de: 'Alle {count} zeigen' },
  noRisk: { en: 'Nothing is about to run out', de: 'Nichts geht zur Neige' },
  noRiskText: {
    en: 'SKUs appear here when as many units are left as their threshold, or fewer.',
    de: 'SKUs erscheinen hier, sobald nur noch so viele Stück da sind wie ihr Schwellenwert, oder weniger.',
  },
  ofThreshold: { en: '{count} left, warns at {threshold}', de: 'noch {count}, warnt bei {threshold}' },
} as const satisfies Record<string, Message>
