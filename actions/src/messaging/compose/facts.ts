import type { EmailKind, MessageKind } from './message-kind.ts'

/** The shop as its messages name it. */
export interface ShopFacts {
  readonly name: string
  readonly email: string
  /** Whether the shop has confirmed that mail to the address arrives. */
  readonly emailIsVerified: boolean
  readonly website: string | null
  readonly timeZone: string
  /** The address of its own that its mails come from; null: they come from the operator's. */
  readonly sender: string | null
}

interface CustomerFacts {
  /** Absent for a receiver without an account. */
  readonly customer?: { readonly name: string; readonly email: string }
}

/** Money is in minor units of the order's currency, times are ISO 8601. */
interface OrderFacts extends CustomerFacts {
  readonly order: {
    readonly id: string
    readonly number: string
    readonly currency: string
    readonly subtotal: number
    readonly tax: number
    readonly shipping: number
    readonly discount: number
    readonly total: number
    /** The captured part of the total, in minor units. */
    readonly paid: number
    readonly placedAt: string
  }
  readonly items: readonly {
    readonly name: string
    readonly sku: string
    readonly quantity: number
    readonly price: number
    readonly subtotal: number
    /** Absent in facts that were written before lines had any. */
    readonly properties?: readonly { readonly name: string; readonly value: string }[]
  }[]
  readonly shippingAddress: {
    /** Absent in facts that were written before addresses had any. */
    readonly recipientName?: string | null
    readonly company?: string | null
    readonly line1: string
    readonly line2: string | null
    readonly city: string
    readonly state: string
    readonly postalCode: string
    readonly country: string
  } | null
}

/** Of mails with a token, which isn't among the facts: those are kept. */
interface TokenFacts {
  readonly expiresAt: string
}

interface UserTokenFacts extends TokenFacts {
  readonly user: { readonly name: string; readonly email: string }
}

interface CustomerTokenFacts extends TokenFacts {
  readonly customer: { readonly name: string; readonly email: string }
}

interface ProductFacts extends CustomerFacts {
  readonly product: { readonly id: string; readonly name: string; readonly sku: string }
}

interface AppointmentFacts extends CustomerFacts {
  readonly appointment: {
    readonly id: string
    readonly service: string
    readonly staff: string
    readonly startTime: string
    /** The staff member's, or else the shop's: where the appointment is kept. */
    readonly timeZone: string
    /** Minutes. */
    readonly duration: number
    /** The names of the rooms, chairs and equipment that it has. */
    readonly resources: readonly string[]
    readonly currency: string
    /** Minor units: what its payments hold, what is left to pay, and what a late cancellation was charged. */
    readonly paid: number
    readonly due: number
    readonly fee: number
    /** Whether it ended because it was not paid in time. */
    readonly unpaid: boolean
  }
}

/** The facts that a message is composed of, as the database's functions `notification.*_message` return them. */
export interface Facts {
  readonly ORDER_CONFIRMATION: OrderFacts
  readonly ORDER_SHIPPED: OrderFacts & {
    readonly shipment: {
      readonly carrier: string | null
      readonly trackingNumber: string | null
      readonly estimatedDeliveryAt: string | null
    }
  }
  readonly ORDER_REFUNDED: OrderFacts & {
    readonly refund: { readonly amount: number; readonly currency: string; readonly reason: string | null }
  }
  readonly ORDER_PAYMENT_REMINDER: OrderFacts & {
    /** The method is null where none was chosen. */
    readonly payment: { readonly dueAt: string; readonly method: 'BANK_TRANSFER' | 'CASH' | null }
  }
  readonly ORDER_CANCELLED: OrderFacts & {
    readonly cancellation: {
      readonly reason: string | null
      /** Whether the order ended because it was not paid in time. */
      readonly unpaid: boolean
    }
  }
  readonly STOCK_ALERT: ProductFacts
  readonly APPOINTMENT_BOOKED: AppointmentFacts
  readonly APPOINTMENT_MOVED: AppointmentFacts
  readonly APPOINTMENT_CANCELLED: AppointmentFacts
  readonly APPOINTMENT_REMINDER: AppointmentFacts
  readonly STAFF_APPOINTMENT_BOOKED: AppointmentFacts
  readonly STAFF_APPOINTMENT_MOVED: AppointmentFacts
  readonly STAFF_APPOINTMENT_CANCELLED: AppointmentFacts
  readonly LOW_STOCK_ALERT: ProductFacts & {
    readonly stock: { readonly available: number; readonly threshold: number }
  }
  readonly PAYMENT_DISPUTED: {
    readonly dispute: {
      readonly paymentId: string
      /** Of the order that was paid; null for an appointment's payment. */
      readonly orderNumber: string | null
      /** In minor units. */
      readonly amount: number
      readonly currency: string
      /** In the processor's words. */
      readonly reason: string
      /** Until then the processor takes evidence; null: it takes none. */
      readonly evidenceDueAt: string | null
    }
  }
  readonly SENDER_LOST: {
    /** The address that mails came from, and what its domain lacks now. */
    readonly sender: { readonly address: string; readonly domain: string; readonly problem: string }
  }
  readonly WEBHOOK_DISABLED: {
    readonly endpoint: {
      readonly id: string
      readonly url: string
      readonly reason: 'FAILING' | 'GONE'
      readonly failingSince: string
      /** What the last attempt ended with. */
      readonly error: string
    }
  }
  readonly USER_INVITATION: UserTokenFacts
  readonly USER_PASSWORD_RESET: UserTokenFacts
  readonly USER_EMAIL_VERIFICATION: UserTokenFacts
  readonly CUSTOMER_PASSWORD_RESET: CustomerTokenFacts
  readonly CUSTOMER_EMAIL_VERIFICATION: CustomerTokenFacts
  readonly CAMPAIGN: CustomerFacts
}

/** A kind with its facts, so that a `switch` over the one narrows the other. */
export type Occasion = {
  readonly [Kind in EmailKind]: { readonly kind: Kind; readonly facts: Facts[Kind] }
}[EmailKind]

/** Something that has happened, which goes by every channel. */
export type HappeningOccasion = Extract<Occasion, { readonly kind: MessageKind }>
