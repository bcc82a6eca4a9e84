import type { Message } from '../message.ts'

export const personalDataMessages = {
  addresses: { en: 'Addresses', de: 'Adressen' },
  noAddresses: { en: 'No addresses yet.', de: 'Noch keine Adressen.' },
  addAddress: { en: 'Add an address', de: 'Adresse hinzufügen' },
  changeAddress: { en: 'Change', de: 'Ändern' },
  changeAddressTitle: { en: 'Change {name}', de: '{name} ändern' },
  makeDefault: { en: 'Make it the default', de: 'Als Standard verwenden' },
  makeDefaultTitle: { en: 'Make it the default: {name}', de: 'Als Standard verwenden: {name}' },
  isDefaultNow: { en: '{name} is the default address', de: '{name} ist die Standardadresse' },
  useAsDefault: { en: 'Make it the default address', de: 'Als Standardadresse verwenden' },
  removeAddressLead: {
    en: 'Orders that were placed keep it. If it is the default, the oldest of the others becomes the default.',
    de: 'Bestehende Bestellungen behalten sie. War sie der Standard, wird die älteste der übrigen Adressen zum Standard.',
  },
  personalData: { en: 'Personal data', de: 'Personenbezogene Daten' },
  personalDataLead: {
    en: 'For customers who ask for a copy of their data, or want to be forgotten.',
    de: 'Für Kunden, die eine Kopie ihrer Daten verlangen oder vergessen werden möchten.',
  },
  exportData: { en: 'Export the data', de: 'Daten exportieren' },
  exportDataTitle: { en: 'Export the data of {name}', de: 'Daten von {name} exportieren' },
  exportDataLead: {
    en: 'Everything that the shop stores about the customer is written into a file: orders, payments, carts, mails, sign-ins and more. Each line is a record in JSON.',
    de: 'Alles, was der Shop über den Kunden speichert, wird in eine Datei geschrieben: Bestellungen, Zahlungen, Warenkörbe, E-Mails, Anmeldungen und mehr. Jede Zeile ist ein Datensatz in JSON.',
  },
  exportDataLink: {
    en: 'Everybody who has the link can open the file until it is deleted after 7 days.',
    de: 'Jeder, der den Link hat, kann die Datei öffnen, bis sie nach 7 Tagen gelöscht wird.',
  },
  dataIsWritten: { en: 'The file is being written', de: 'Die Datei wird geschrieben' },
  dataGoesOn: {
    en: 'You can close this. The file will be under Import and export.',
    de: 'Sie können dies schließen. Die Datei ist dann unter Import und Export.',
  },
  dataIsReady: {
    en: { one: 'The file has {count} record.', other: 'The file has {count} records.' },
    de: { one: 'Die Datei hat {count} Datensatz.', other: 'Die Datei hat {count} Datensätze.' },
  },
  downloadData: { en: 'Download ({size})', de: 'Herunterladen ({size})' },
  eraseCustomer: { en: 'Erase the customer', de: 'Kunden löschen' },
  eraseTitle: { en: 'Erase {name}', de: '{name} löschen' },
  eraseGone: {
    en: 'Name, e-mail address, phone number, addresses, labels, notes, talks and carts are deleted for good, those of orders as a guest with the same e-mail address, too. Reviews lose the name. The customer is signed out.',
    de: 'Name, E-Mail-Adresse, Telefonnummer, Adressen, Etiketten, Notizen, Gespräche und Warenkörbe werden endgültig gelöscht, auch die von Gastbestellungen mit derselben E-Mail-Adresse. Bewertungen verlieren den Namen. Der Kunde wird abgemeldet.',
  },
  eraseKept: {
    en: 'Orders and payments are kept with their addresses, because accounting needs them.',
    de: 'Bestellungen und Zahlungen bleiben mit ihren Adressen erhalten, weil die Buchhaltung sie braucht.',
  },
  eraseWhen: {
    en: 'It is not possible while the customer has orders under way or appointments ahead.',
    de: 'Es geht nicht, solange der Kunde offene Bestellungen oder bevorstehende Termine hat.',
  },
  typeToErase: { en: 'Type {email} to confirm', de: 'Zur Bestätigung {email} eingeben' },
  eraseForGood: { en: 'Erase for good', de: 'Endgültig löschen' },
  customerErased: { en: '{name} is erased', de: '{name} ist gelöscht' },
  erasedOn: {
    en: 'This customer was erased on {date}. Only orders and payments are kept.',
    de: 'Dieser Kunde wurde am {date} gelöscht. Nur Bestellungen und Zahlungen sind erhalten.',
  },
} as const satisfies Record<string, Message>
