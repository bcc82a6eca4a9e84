import type { Message } from '../message.ts'

export const reviewMessages = {
  reviews: { en: 'Reviews', de: 'Bewertungen' },
  reviewsCount: {
    en: { one: '{count} review', other: '{count} reviews' },
    de: { one: '{count} Bewertung', other: '{count} Bewertungen' },
  },
  reviewPending: { en: 'To look at', de: 'Zu prüfen' },
  reviewApproved: { en: 'Shown', de: 'Sichtbar' },
  reviewRejected: { en: 'Not shown', de: 'Nicht sichtbar' },
  noReviews: { en: 'Nothing to look at', de: 'Nichts zu prüfen' },
  noReviewsText: {
    en: 'What customers write about products waits here until you show it to others. The filter leads to what was decided.',
    de: 'Was Kunden über Produkte schreiben, wartet hier, bis Sie es anderen zeigen. Der Filter führt zu dem, was entschieden ist.',
  },
  stars: {
    en: { one: '{count} star of 5', other: '{count} stars of 5' },
    de: { one: '{count} Stern von 5', other: '{count} Sterne von 5' },
  },
  verifiedPurchase: { en: 'has bought it', de: 'hat es gekauft' },
  reviewBy: { en: 'Review of {name} by {author}', de: 'Bewertung von {name} durch {author}' },
  reviewIsNow: { en: '{author}’s review: {status}', de: 'Bewertung von {author}: {status}' },
  showReview: { en: 'Show it', de: 'Zeigen' },
  hideReview: { en: 'Don’t show it', de: 'Nicht zeigen' },
} as const satisfies Record<string, Message>
