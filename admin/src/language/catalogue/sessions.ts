import type { Message } from '../message.ts'

export const sessionMessages = {
  ownSessions: { en: 'Where you are signed in', de: 'Wo Sie angemeldet sind' },
  thisSession: { en: 'This one', de: 'Diese Sitzung' },
  browserOn: { en: '{browser} on {system}', de: '{browser} auf {system}' },
  unknownDevice: { en: 'A device that isn’t known', de: 'Ein unbekanntes Gerät' },
  unknownPlace: { en: 'unknown network', de: 'unbekanntes Netz' },
  signedInOn: { en: 'signed in {date}', de: 'angemeldet {date}' },
  endSession: { en: 'End', de: 'Beenden' },
  endSessionOf: { en: 'End {name}, signed in {date}', de: '{name} beenden, angemeldet {date}' },
  ownSessionEnded: { en: '{name} is signed out', de: '{name} ist abgemeldet' },
  endOthers: { en: 'End all others', de: 'Alle anderen beenden' },
  othersEnded: {
    en: 'You are signed out everywhere else',
    de: 'Sie sind überall sonst abgemeldet',
  },
  mfaIsUnknown: {
    en: 'Your roles don’t show whether an authenticator is set up.',
    de: 'Ihre Rollen zeigen nicht, ob ein Authenticator eingerichtet ist.',
  },
} as const satisfies Record<string, Message>
