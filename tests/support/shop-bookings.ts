import { minutesOf } from '../../admin/src/bookings/day-grid.ts'
import { addDays, dayIn, startOfDay } from '../../admin/src/format/shop-days.ts'
import { localMinute } from '../../admin/src/format/shop-times.ts'
import type { Client } from './graphql-client.ts'
import { payload, succeeded } from './shop.ts'

export interface Slot {
  readonly startTime: string
  readonly staffId: string
}

/** A free time as the shop's clocks show it. */
export interface FreeTime extends Slot {
  readonly day: string
  /** After midnight. */
  readonly minute: number
}

export interface Appointment extends Slot {
  readonly id: string
  readonly status: string
}

interface Named {
  readonly id: string
  readonly name: string
}

interface FreePair {
  readonly service: Named
  readonly from: FreeTime
  readonly to: FreeTime
}

/** When and by whom, for comparing. */
export const slotText = ({ startTime, staffId }: Slot): string => `${startTime} ${staffId}`

/** The services of a shop that can be booked, its staff, and their times. */
export class ShopBookings {
  readonly services: readonly Named[]
  readonly staff: readonly Named[]
  readonly timeZone: string
  readonly #client: Client

  private constructor(client: Client, data: Loaded) {
    this.#client = client
    this.services = data.bookingServices.nodes
    this.staff = data.staffMembers.nodes
    this.timeZone = data.merchantAccount.settings.timezone
  }

  static async of(client: Client): Promise<ShopBookings> {
    const answer = await client<Loaded>(
      `{ bookingServices(first: 50, filters: { active: true }) { nodes { id name } }
        staffMembers(first: 50) { nodes { id name } }
        merchantAccount { settings { timezone } } }`,
    )
    return new ShopBookings(client, succeeded(answer))
  }

  nameOf({ staffId }: Slot): string {
    return this.staff.find(({ id }) => id === staffId)?.name ?? staffId
  }

  /** The free times of a service from the beginning of one of the shop's days to that of another, earliest first. */
  async free(serviceId: string, from: string, to: string, staffId?: string): Promise<readonly FreeTime[]> {
    const { availability } = succeeded(
      await this.#client<{ availability: Slot[] }>(
        `query ($serviceId: ID!, $staffId: ID, $from: DateTime!, $to: DateTime!) {
          availability(serviceId: $serviceId, staffId: $staffId, from: $from, to: $to) { startTime staffId }
        }`,
        {
          serviceId,
          staffId: staffId ?? null,
          from: startOfDay(from, this.timeZone).toISOString(),
          to: startOfDay(to, this.timeZone).toISOString(),
        },
      ),
    )
    return availability.map((slot) => {
      const local = localMinute(slot.startTime, this.timeZone)
      return { ...slot, day: local.slice(0, 10), minute: minutesOf(local.slice(11)) }
    })
  }

  /** The first pair of free times of a service that fits, in the next weeks. */
  async freePair(fits: (one: FreeTime, other: FreeTime) => boolean): Promise<FreePair> {
    const today = dayIn(this.timeZone)
    for (const service of this.services) {
      const times = await this.free(service.id, addDays(today, 2), addDays(today, 20))
      for (const from of times) {
        const to = times.find((each) => fits(from, each))
        if (to !== undefined) return { service, from, to }
      }
    }
    throw new Error('the shop has no such free times')
  }

  /** A new customer, whose appointments are told from others by the name. */
  async customer(name: string): Promise<string> {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@bookings.example`
    const created = payload(
      await this.#client<Record<string, { customer: Named; errors: [] }>>(
        `mutation ($input: CustomerInput!) {
          createCustomer(input: $input) { customer { id name } errors { field message } }
        }`,
        { input: { name, email } },
      ),
    )
    return created.customer.id
  }

  /** Books a free time for a new customer of this name. */
  async book(serviceId: string, { startTime, staffId }: Slot, customer: string): Promise<Appointment> {
    const input = { serviceId, startTime, staffId, customerId: await this.customer(customer) }
    const created = payload(
      await this.#client<Record<string, { appointment: Appointment; errors: [] }>>(
        `mutation ($input: CreateAppointmentInput!) {
          createAppointment(input: $input) {
            appointment { id startTime staffId status } errors { field message }
          }
        }`,
        { input },
      ),
    )
    return created.appointment
  }

  /** The appointment as it is stored, the latest one when none is said. */
  async stored(appointment?: Appointment): Promise<Appointment | undefined> {
    const { appointments } = succeeded(
      await this.#client<{ appointments: { nodes: Appointment[] } }>(
        '{ appointments(first: 100, sortBy: CREATED_AT, sortOrder: DESC) { nodes { id startTime staffId status } } }',
      ),
    )
    return appointments.nodes.find(({ id }) => appointment === undefined || id === appointment.id)
  }
}

interface Loaded {
  readonly bookingServices: { readonly nodes: readonly Named[] }
  readonly staffMembers: { readonly nodes: readonly Named[] }
  readonly merchantAccount: { readonly settings: { readonly timezone: string } }
}
