import { action, type MutationDefinition } from '../../mutation/definition.ts'
import { byId, change, deletion, pick, remove, table, update } from '../../mutation/rows.ts'

const orderTable = table('Order', 'orders')
const order = { record: { relationship: 'order', projection: 'Order' } } as const

const draftOrderTable = table('DraftOrder', 'draftOrders')
const draftOrder = { record: { relationship: 'draftOrder', projection: 'DraftOrder' } } as const
const shipment = { record: { relationship: 'shipment', projection: 'Shipment' } } as const
const orderReturn = { record: { relationship: 'return', projection: 'OrderReturn' } } as const

export const orderMutations: Readonly<Record<string, MutationDefinition>> = {
  createOrder: action({ ...order, triesCoupon: true }),
  updateOrder: change<'updateOrder'>({
    record: 'Order',
    what: 'Order',
    write: (input, { id }) => update(orderTable, byId(id), pick(input, ['notes', 'tags'])),
  }),
  modifyOrder: action({ ...order, fromRecord: { totalAmount: 'total' } }),
  cancelOrder: action({ ...order, fromResult: ['refund'] }),
  processOrder: action(order),
  fulfillOrder: action(order),
  markOrderDelivered: action(order),
  createDraftOrder: action({ ...draftOrder, triesCoupon: true }),
  updateDraftOrder: action(draftOrder),
  deleteDraftOrder: deletion('Draft order', (id) => remove(draftOrderTable, byId(id))),
  completeDraftOrder: action(order),
  addOrderNote: action(order),
  updateShipment: action(shipment),
  markShipmentShipped: action(shipment),
  markShipmentDelivered: action(shipment),
  cancelShipment: action(shipment),
  requestReturn: action(orderReturn),
  approveReturn: action(orderReturn),
  rejectReturn: action(orderReturn),
  cancelReturn: action(orderReturn),
  receiveReturn: action(orderReturn),
}
