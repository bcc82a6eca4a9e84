import type { Subject } from '../api/api.ts'

/** What is asked again after a change of a record of this type. Of other types the pages show nothing that changes by itself. */
const subjects: Readonly<Record<string, readonly Subject[]>> = {
  order: ['orders', 'home'],
  payment: ['orders', 'home'],
  refund: ['orders', 'home'],
  shipment: ['orders'],
  return: ['orders'],
  product: ['products', 'home'],
  product_variant: ['products'],
  category: ['categories'],
  inventory: ['stock', 'products'],
  transfer: ['stock'],
  incoming_stock: ['stock'],
  warehouse: ['stock'],
  customer: ['customers'],
  appointment: ['bookings'],
  promotion: ['promotions'],
  review: ['reviews'],
  email_campaign: ['emails'],
}

/** @param topic such as `order.created` */
export const subjectsOf = (topic: string): readonly Subject[] => subjects[topic.split('.')[0] ?? ''] ?? []
