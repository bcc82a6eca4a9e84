import type { Message } from '../message.ts'

export const paymentSettingsMessages = {
  switchAccountOff: { en: 'Switch off', de: 'Abschalten' },
  paymentAccounts: { en: 'Payment accounts', de: 'Zahlungskonten' },
  connect: { en: 'Connect', de: 'Verbinden' },
  connected: { en: 'The account is connected', de: 'Das Konto ist verbunden' },
  connectTitle: { en: 'Connect a payment account', de: 'Zahlungskonto verbinden' },
  noPaymentAccounts: { en: 'No account yet', de: 'Noch kein Konto' },
  noPaymentAccountsText: {
    en: 'Connect the shop’s own account at Stripe or PayPal, so that payments go there.',
    de: 'Verbinden Sie das eigene Konto des Shops bei Stripe oder PayPal, damit Zahlungen dorthin gehen.',
  },
  liveMode: { en: 'Real money', de: 'Echtes Geld' },
  testMode: { en: 'For tests', de: 'Für Tests' },
  webhooksGoTo: { en: 'The processor’s webhooks go to {url}', de: 'Webhooks des Anbieters gehen an {url}' },
  webhookSecretMissing: {
    en: 'Without the secret of its webhooks, disputes are not seen. They have to go to {url}',
    de: 'Ohne das Geheimnis der Webhooks bleiben Streitfälle unbemerkt. Sie müssen gehen an {url}',
  },
  switchOffTitle: { en: 'Switch {name} off', de: '{name} abschalten' },
  switchOffAccountLead: {
    en: 'New payments don’t use it. Those that there are can still be captured and refunded.',
    de: 'Neue Zahlungen nutzen es nicht. Vorhandene lassen sich weiter einziehen und erstatten.',
  },
  processor: { en: 'Processor', de: 'Anbieter' },
  clientId: { en: 'Client ID', de: 'Client-ID' },
  secretKeyOf: { en: 'Secret key', de: 'Geheimer Schlüssel' },
  secretKeyHint: {
    en: 'It is stored encrypted, and never shown again',
    de: 'Wird verschlüsselt gespeichert und nie wieder gezeigt',
  },
  webhookSecret: { en: 'Webhook secret', de: 'Webhook-Geheimnis' },
  webhookSecretHint: { en: 'At PayPal: the webhook’s ID', de: 'Bei PayPal: die ID des Webhooks' },
  emailSender: { en: 'E-mail sender', de: 'E-Mail-Absender' },
  emailSenderLead: {
    en: 'Mails to customers come from this address as soon as its domain is confirmed.',
    de: 'E-Mails an Kunden kommen von dieser Adresse, sobald ihre Domain bestätigt ist.',
  },
  senderAddress: { en: 'Address', de: 'Adresse' },
  senderAddressHint: {
    en: 'Empty: mails come from the platform’s address',
    de: 'Leer: E-Mails kommen von der Adresse der Plattform',
  },
  senderConfirmed: { en: 'Confirmed', de: 'Bestätigt' },
  senderPending: { en: 'Not confirmed yet', de: 'Noch nicht bestätigt' },
  senderLost: { en: 'A record is gone', de: 'Ein Eintrag fehlt' },
  dnsRecords: { en: 'Records of the domain', de: 'Einträge der Domain' },
  dnsRecordsLead: {
    en: 'Whoever keeps the domain’s DNS has to add these.',
    de: 'Wer das DNS der Domain verwaltet, muss diese eintragen.',
  },
  checkNow: { en: 'Check now', de: 'Jetzt prüfen' },
  checkedOn: { en: 'Checked {date}', de: 'Geprüft {date}' },
  found: { en: 'Found', de: 'Gefunden' },
  notFound: { en: 'Not found yet', de: 'Noch nicht gefunden' },
} as const satisfies Record<string, Message>
