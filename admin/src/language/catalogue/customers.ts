import type { Message } from '../message.ts'

export const customerMessages = {
  customersCount: {
    en: { one: '{count} customer', other: '{count} customers' },
    de: { one: '{count} Kunde', other: '{count} Kunden' },
  },
  searchCustomers: { en: 'Name, e-mail, phone …', de: 'Name, E-Mail, Telefon …' },
  noCustomers: { en: 'No customers yet', de: 'Noch keine Kunden' },
  noCustomersText: {
    en: 'People appear here when they register, or order as guests.',
    de: 'Personen erscheinen hier, wenn sie sich registrieren oder als Gast bestellen.',
  },
  account: { en: 'Account', de: 'Konto' },
  hasAccount: { en: 'Account', de: 'Konto' },
  guest: { en: 'Guest', de: 'Gast' },
  blocked: { en: 'Blocked', de: 'Gesperrt' },
  blockedBecause: { en: 'Blocked: {reason}', de: 'Gesperrt: {reason}' },
  lastOrder: { en: 'Last order', de: 'Letzte Bestellung' },
  spent: { en: 'Spent', de: 'Ausgegeben' },
  noSuchCustomer: { en: 'There is no such customer', de: 'Diesen Kunden gibt es nicht' },
  customerSince: { en: 'Customer since {date}', de: 'Kunde seit {date}' },
  customerHasNoOrders: { en: 'No orders yet.', de: 'Noch keine Bestellungen.' },
  points: { en: 'Loyalty points', de: 'Treuepunkte' },
  noPoints: {
    en: 'Points that are earned, spent and taken back appear here.',
    de: 'Hier erscheinen gesammelte, ausgegebene und zurückgenommene Punkte.',
  },
  contact: { en: 'Contact', de: 'Kontakt' },
  newsletter: { en: 'Newsletter', de: 'Newsletter' },
  yes: { en: 'Yes', de: 'Ja' },
  no: { en: 'No', de: 'Nein' },
  defaultAddress: { en: 'Default address', de: 'Standardadresse' },
  address: { en: 'Address', de: 'Adresse' },
} as const satisfies Record<string, Message>
