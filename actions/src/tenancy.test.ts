import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from './action/session.ts'
import { createService, createStaffMember, daysAhead, everyDay } from './testing/booking-calendar.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
  staff,
} from './testing/test-shop.ts'

let shop: TestShop
let attacker: TestMerchant
/** Calls of every action that takes an id, with ids of another merchant, by the fields that the answer must name. */
let attacks: Readonly<
  Record<string, { readonly input: object; readonly field: string; readonly session?: Session }>
>
let victim: TestMerchant

beforeAll(async () => {
  shop = await openTestShop()
  victim = await shop.createMerchant()
  attacker = await shop.createMerchant()
  const product = await shop.createProduct(victim, { stock: [20] })
  const own = await shop.createProduct(attacker, { stock: [20] })
  const items = [{ productId: product.id, quantity: 1 }]
  const call = async (name: string, input: object) => dataOf(await shop.call(victim, name, input))

  const order = { customerId: victim.customerId, items, shippingAddress: address }
  const orderId = (await call('createOrder', { input: order })).orderId
  const cartId = (await call('createCart', { input: { items } })).cartId
  const [line] = await shop.database<
    { id: string }[]
  >`SELECT id FROM cart.cart_item WHERE cart_id = ${String(cartId)}`
  const itemId = found(line).id
  const reservation = await call('reserveInventory', { items: [{ sku: product.sku, quantity: 1 }] })
  const paid = (await call('createOrder', { input: order })).orderId
  const { paymentId } = await call('processPayment', {
    input: { orderId: paid, method: 'CARD', paymentMethodId: 'pm_card_authenticationRequired' },
  })
  const two = [{ productId: product.id, quantity: 2 }]
  const sent = (await call('createOrder', { input: { ...order, items: two } })).orderId
  await call('processPayment', { input: { orderId: sent, method: 'CASH' } })
  await call('fulfillOrder', { id: sent, input: {} })
  const [sentLine] = await shop.database<
    { id: string }[]
  >`SELECT id FROM ordering.order_item WHERE order_id = ${String(sent)}`
  const orderItemId = found(sentLine).id
  const [shipment] = await shop.database<
    { id: string }[]
  >`SELECT id FROM ordering.shipment WHERE order_id = ${String(sent)}`
  const shipmentId = found(shipment).id
  const { returnId } = await call('requestReturn', {
    input: { orderId: sent, items: [{ orderItemId, quantity: 1, reason: 'OTHER' }] },
  })
  const { refundId } = await call('refundOrder', {
    id: sent,
    input: { items: [{ orderItemId, quantity: 1 }], reason: 'Theirs' },
  })
  const file = { fileName: 'theirs.zip', contentType: 'application/zip', size: 10, purpose: 'DOWNLOAD' }
  const { upload } = await call('createFileUpload', { input: file })
  const fileId = (upload as { id: string }).id
  const { draftOrderId } = await call('createDraftOrder', { input: { items } })
  const { apiKeyId } = await call('createApiKey', {
    input: { name: 'k', mode: 'LIVE', permissions: ['orders:read'] },
  })
  const { webhookEndpoint } = await call('createWebhookEndpoint', {
    input: { url: 'http://127.0.0.1:9/', topics: ['warehouse.updated'], enabled: false },
  })
  const endpointId = (webhookEndpoint as { id: string }).id
  const { paymentAccountId } = await call('connectPaymentAccount', {
    input: { processor: 'STRIPE', secretKey: 'sk_test_sandbox_theirs' },
  })
  const { savedPaymentMethodId } = await call('savePaymentMethod', {
    input: { customerId: victim.customerId, paymentMethodId: 'pm_card_visa' },
  })
  const { sessionId } = await call('createCustomerAccessToken', { customerId: victim.customerId })

  const between = { fromWarehouseId: victim.warehouseIds[0], toWarehouseId: victim.warehouseIds[1] }
  const { transferId } = await call('createTransfer', {
    input: { ...between, lines: [{ sku: product.sku, quantity: 1 }] },
  })
  const { incomingStockId } = await call('createIncomingStock', { input: { sku: product.sku, quantity: 1 } })
  const soldOut = await shop.createProduct(victim, { stock: [0] })
  const { id: stockAlertId } = await call('subscribeStockAlert', {
    sku: soldOut.sku,
    email: 'theirs@example.com',
  })
  const [reward] = await shop.database<{ id: string }[]>`
    INSERT INTO crm.loyalty_reward (merchant_id, name, points, discount_amount)
    VALUES (${victim.merchantId}, 'Theirs', 1, 100) RETURNING id`

  const content = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' }
  const { emailTemplateId } = await call('createEmailTemplate', {
    input: { kind: 'ORDER_SHIPPED', ...content },
  })
  const { importId } = await call('createImport', { input: { format: 'CSV', fileSize: 1 } })
  const { emailCampaignId } = await call('createEmailCampaign', { input: { name: 'Spring', ...content } })
  const [segment] = await shop.database<{ id: string }[]>`
    INSERT INTO crm.segment (merchant_id, name) VALUES (${victim.merchantId}, 'Theirs') RETURNING id`
  const [tier] = await shop.database<{ id: string }[]>`
    INSERT INTO crm.loyalty_tier (merchant_id, name, threshold) VALUES (${victim.merchantId}, 'Theirs', 4711) RETURNING id`
  const [delivery] = await shop.database<{ id: string }[]>`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, status, facts)
    VALUES (${victim.merchantId}, 'ORDER_SHIPPED', 'x', 'a@example.com', 'FAILED', '{}') RETURNING id`
  const [dataExport] = await shop.database<{ id: string }[]>`
    INSERT INTO bulk.export (merchant_id, kind, format, customer_id, holder_kind, holder_id, permissions)
    VALUES (${victim.merchantId}, 'CUSTOMER_DATA', 'JSON_LINES', ${victim.customerId}, 'KEY', ${victim.customerId}, '{}')
    RETURNING id`
  const [notification] = await shop.database<{ id: string }[]>`
    INSERT INTO notification.notification (merchant_id, kind, subject_key, title, body)
    VALUES (${victim.merchantId}, 'LOW_STOCK_ALERT', 'x', 'Low', 'Low') RETURNING id`

  const service = await createService(shop, victim)
  const staffId = await createStaffMember(shop, victim, {
    services: [service],
    schedule: everyDay('00:00', '24:00'),
  })
  const appointment = {
    serviceId: service.id,
    staffId,
    customerId: victim.customerId,
    startTime: daysAhead(2, '10:00'),
  }
  const { appointmentId } = await call('createAppointment', { input: appointment })

  const { userId } = await call('createUser', { input: { email: 'theirs@example.com' } })
  const { roleId } = await call('createRole', { input: { name: 'Theirs', permissions: ['orders:read'] } })
  await call('assignRole', { userId, roleId })

  const ownItems = [{ productId: own.id, quantity: 1 }]
  const ownOrder = { customerId: attacker.customerId, items: ownItems, shippingAddress: address }
  attacks = {
    addCartItem: { input: { cartId, item: ownItems[0] }, field: 'cartId' },
    updateCartItem: { input: { cartId, itemId, quantity: 2 }, field: 'cartId' },
    applyCoupon: { input: { cartId, code: 'THEIRS' }, field: 'cartId' },
    removeCoupon: { input: { cartId }, field: 'cartId' },
    removeCartItem: { input: { cartId, itemId }, field: 'cartId' },
    startGuestCheckout: { input: { input: { cartId, email: 'guest@example.com' } }, field: 'cartId' },
    checkoutCart: {
      input: { id: cartId, input: { customerId: attacker.customerId, shippingAddress: address } },
      field: 'id',
    },
    createCart: { input: { input: { items } }, field: 'items.0.productId' },
    createOrder: { input: { input: { ...ownOrder, customerId: victim.customerId } }, field: 'customerId' },
    modifyOrder: { input: { id: orderId, modifications: { notes: 'mine' } }, field: 'id' },
    cancelOrder: { input: { id: orderId, reason: 'mine' }, field: 'id' },
    processOrder: { input: { id: orderId }, field: 'id' },
    fulfillOrder: { input: { id: orderId, input: {} }, field: 'id' },
    markOrderDelivered: { input: { id: orderId }, field: 'id' },
    createDraftOrder: { input: { input: { items } }, field: 'items.0.productId' },
    updateDraftOrder: { input: { id: draftOrderId, input: { notes: 'mine' } }, field: 'id' },
    completeDraftOrder: { input: { id: draftOrderId }, field: 'id' },
    addOrderNote: { input: { id: orderId, input: { text: 'mine' } }, field: 'id' },
    refundOrder: {
      input: { id: paid, input: { items: [{ orderItemId, quantity: 1 }], reason: 'mine' } },
      field: 'id',
    },
    updateShipment: { input: { id: shipmentId, input: { carrier: 'mine' } }, field: 'id' },
    markShipmentShipped: { input: { id: shipmentId, input: {} }, field: 'id' },
    markShipmentDelivered: { input: { id: shipmentId }, field: 'id' },
    cancelShipment: { input: { id: shipmentId }, field: 'id' },
    requestReturn: {
      input: { input: { orderId: sent, items: [{ orderItemId, quantity: 1, reason: 'OTHER' }] } },
      field: 'orderId',
    },
    approveReturn: { input: { id: returnId }, field: 'id' },
    rejectReturn: { input: { id: returnId, reason: 'mine' }, field: 'id' },
    cancelReturn: { input: { id: returnId }, field: 'id' },
    receiveReturn: { input: { id: returnId, input: {} }, field: 'id' },
    refundReturn: { input: { id: returnId, input: {} }, field: 'id' },
    capturePayment: { input: { id: paymentId }, field: 'id' },
    voidPayment: { input: { id: paymentId }, field: 'id' },
    refundPayment: { input: { id: paymentId, input: { reason: 'mine' } }, field: 'id' },
    retryRefund: { input: { id: refundId }, field: 'id' },
    processPayment: { input: { input: { orderId, method: 'CASH' } }, field: 'orderId' },
    savePaymentMethod: {
      input: { input: { customerId: victim.customerId, paymentMethodId: 'pm_card_visa' } },
      field: 'customerId',
    },
    confirmSavedPaymentMethod: { input: { id: savedPaymentMethodId }, field: 'id' },
    setDefaultPaymentMethod: { input: { id: savedPaymentMethodId }, field: 'id' },
    deleteSavedPaymentMethod: { input: { id: savedPaymentMethodId }, field: 'id' },
    confirmPayment: { input: { id: paymentId }, field: 'id' },
    payAppointment: { input: { id: appointmentId, input: { method: 'CASH' } }, field: 'id' },
    recordPayment: { input: { input: { orderId, method: 'CASH', amount: 1 } }, field: 'orderId' },
    markPaymentReceived: { input: { id: paymentId }, field: 'id' },
    reserveInventory: { input: { items: [{ sku: product.sku, quantity: 1 }] }, field: 'items.0.sku' },
    releaseReservation: { input: { id: reservation.reservationId }, field: 'id' },
    setInventoryLevel: { input: { input: { sku: product.sku, available: 0 } }, field: 'sku' },
    adjustInventory: {
      input: { input: { sku: own.sku, warehouseId: victim.warehouseIds[0], delta: 1, reason: 'x' } },
      field: 'warehouseId',
    },
    setLowStockThreshold: { input: { input: { sku: product.sku, threshold: 1 } }, field: 'sku' },
    createTransfer: {
      input: {
        input: {
          ...between,
          toWarehouseId: attacker.warehouseIds[0],
          lines: [{ sku: own.sku, quantity: 1 }],
        },
      },
      field: 'fromWarehouseId',
    },
    updateTransfer: { input: { id: transferId, input: { notes: 'mine' } }, field: 'id' },
    shipTransfer: { input: { id: transferId }, field: 'id' },
    receiveTransfer: { input: { id: transferId }, field: 'id' },
    cancelTransfer: { input: { id: transferId }, field: 'id' },
    createIncomingStock: { input: { input: { sku: product.sku, quantity: 1 } }, field: 'sku' },
    updateIncomingStock: { input: { id: incomingStockId, input: { quantity: 2 } }, field: 'id' },
    receiveIncomingStock: { input: { id: incomingStockId }, field: 'id' },
    cancelIncomingStock: { input: { id: incomingStockId }, field: 'id' },
    subscribeStockAlert: { input: { sku: soldOut.sku, email: 'mine@example.com' }, field: 'sku' },
    unsubscribeStockAlert: { input: { id: stockAlertId }, field: 'id' },
    setCartShippingAddress: { input: { cartId, address }, field: 'cartId' },
    setCartShippingMethod: { input: { cartId, shippingMethodId: null }, field: 'cartId' },
    recordProductView: { input: { productId: product.id }, field: 'productId' },
    adjustLoyaltyPoints: {
      input: { input: { customerId: victim.customerId, points: 1, reason: 'mine' } },
      field: 'customerId',
    },
    redeemLoyaltyReward: {
      input: { input: { customerId: attacker.customerId, rewardId: found(reward).id } },
      field: 'rewardId',
    },
    anonymizeCustomer: { input: { id: victim.customerId }, field: 'id' },
    createAppointment: {
      input: {
        input: {
          ...appointment,
          serviceId: (await createService(shop, attacker)).id,
          customerId: attacker.customerId,
        },
      },
      field: 'staffId',
    },
    rescheduleAppointment: {
      input: { id: appointmentId, input: { startTime: daysAhead(2, '12:00') } },
      field: 'id',
    },
    confirmAppointment: { input: { id: appointmentId }, field: 'id' },
    startAppointment: { input: { id: appointmentId }, field: 'id' },
    completeAppointment: { input: { id: appointmentId }, field: 'id' },
    cancelAppointment: { input: { id: appointmentId }, field: 'id' },
    markAppointmentNoShow: { input: { id: appointmentId }, field: 'id' },
    updateEmailTemplate: { input: { id: emailTemplateId, input: { subject: 'mine' } }, field: 'id' },
    createEmailCampaign: {
      input: { input: { name: 'Mine', segmentId: found(segment).id, ...content } },
      field: 'segmentId',
    },
    previewCustomerSegment: {
      input: { filter: { loyaltyTierIds: [found(tier).id] } },
      field: 'filter.loyaltyTierIds',
    },
    previewEmailCampaign: {
      input: { input: { segmentId: found(segment).id, ...content } },
      field: 'segmentId',
    },
    startImport: { input: { id: importId }, field: 'id' },
    cancelImport: { input: { id: importId }, field: 'id' },
    updateEmailCampaign: { input: { id: emailCampaignId, input: { name: 'mine' } }, field: 'id' },
    scheduleEmailCampaign: { input: { id: emailCampaignId }, field: 'id' },
    cancelEmailCampaign: { input: { id: emailCampaignId }, field: 'id' },
    sendTestEmail: {
      input: { input: { kind: 'CAMPAIGN', campaignId: emailCampaignId } },
      field: 'campaignId',
      session: { ...staff(attacker), role: 'merchant', userId: crypto.randomUUID() },
    },
    pauseEmailCampaign: { input: { id: emailCampaignId }, field: 'id' },
    resumeEmailCampaign: { input: { id: emailCampaignId }, field: 'id' },
    exportCustomerData: { input: { customerId: victim.customerId }, field: 'customerId' },
    cancelExport: { input: { id: found(dataExport).id }, field: 'id' },
    retryEmailDelivery: { input: { id: found(delivery).id }, field: 'id' },
    setNotificationPreference: {
      input: {
        input: { kind: 'ORDER_SHIPPED', channel: 'PUSH', enabled: false, customerId: victim.customerId },
      },
      field: 'customerId',
    },
    markNotificationRead: { input: { id: found(notification).id }, field: 'id' },
    blockCustomer: { input: { id: victim.customerId, reason: 'mine' }, field: 'id' },
    unblockCustomer: { input: { id: victim.customerId }, field: 'id' },
    revokeSession: { input: { id: sessionId }, field: 'id' },
    createCustomerAccessToken: { input: { customerId: victim.customerId }, field: 'customerId' },
    createUser: {
      input: { input: { email: 'theirs@example.com', roleIds: [roleId] } },
      field: 'roleIds.0',
    },
    updateUser: { input: { id: userId, input: { name: 'mine' } }, field: 'id' },
    suspendUser: { input: { id: userId }, field: 'id' },
    reactivateUser: { input: { id: userId }, field: 'id' },
    deleteUser: { input: { id: userId }, field: 'id' },
    assignRole: { input: { userId, roleId }, field: 'userId' },
    removeRole: { input: { userId, roleId }, field: 'userId' },
    updateRole: { input: { id: roleId, input: { name: 'mine' } }, field: 'id' },
    deleteRole: { input: { id: roleId }, field: 'id' },
    resetUserMfa: { input: { id: userId }, field: 'id' },
    rotateApiKey: { input: { id: apiKeyId }, field: 'id' },
    revokeApiKey: { input: { id: apiKeyId }, field: 'id' },
    setPublishableKeyMaxAge: { input: { id: apiKeyId, maxAge: 60 }, field: 'id' },
    setPublishableKeyOrigins: { input: { id: apiKeyId, origins: ['https://shop.example'] }, field: 'id' },
    updateWebhookEndpoint: { input: { id: endpointId, input: { description: 'mine' } }, field: 'id' },
    deleteWebhookEndpoint: { input: { id: endpointId }, field: 'id' },
    rotateWebhookSecret: { input: { id: endpointId }, field: 'id' },
    sendTestWebhook: { input: { id: endpointId }, field: 'id' },
    replayWebhookDeliveries: {
      input: { input: { endpointId, startDate: '2026-01-01T00:00:00Z' } },
      field: 'endpointId',
    },
    updatePaymentAccount: { input: { id: paymentAccountId, input: { name: 'mine' } }, field: 'id' },
    disablePaymentAccount: { input: { id: paymentAccountId }, field: 'id' },
    completeFileUpload: { input: { id: fileId }, field: 'id' },
    createFileDownload: { input: { id: fileId }, field: 'id' },
    deleteFile: { input: { id: fileId }, field: 'id' },
  }
})
afterAll(() => shop.close())

/** Every row of a merchant, in all tables. */
async function rowsOf({ merchantId }: TestMerchant): Promise<unknown> {
  const tables = await shop.database<{ schema: string; name: string }[]>`
    SELECT c.table_schema AS schema, c.table_name AS name
    FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.column_name = 'merchant_id' AND t.table_type = 'BASE TABLE'
    ORDER BY 1, 2`
  const rows: Record<string, unknown> = {}
  for (const { schema, name } of tables) {
    const { database } = shop
    rows[`${schema}.${name}`] = await database`
      SELECT to_jsonb(t) AS row FROM ${database(schema)}.${database(name)} t WHERE merchant_id = ${merchantId} ORDER BY t`
  }
  return rows
}

describe('another merchant’s ids', () => {
  test('are sent to every action that takes ids', () => {
    const names = Object.values(shop.domains).flatMap((actions) => Object.keys(actions))
    // Other tests cover the ids of the caller's own account and people who are named by address or secret.
    const withoutIds = new Set([
      ...[
        'changePlan',
        'cancelSubscription',
        'resumeSubscription',
        'createApiKey',
        'createFileUpload',
        'createPublishableKey',
        'openGuestOrder',
        'connectPaymentAccount',
        'createWebhookEndpoint',
        'setEmailSender',
        'checkEmailSender',
        'createRole',
        'signInUser',
        'signInCustomer',
        'registerCustomer',
        'refreshSession',
      ],
      ...['signOut', 'requestUserPasswordReset', 'requestCustomerPasswordReset', 'resetPassword'],
      ...[
        'changePassword',
        'requestEmailVerification',
        'verifyEmail',
        'enrollMfa',
        'confirmMfa',
        'disableMfa',
      ],
      'createImport',
      'createEmailTemplate',
      'createExport',
      'previewEmailTemplate',
      'registerNotificationDevice',
      'markAllNotificationsRead',
      'setEmailLink',
      // These are for operators, who belong to no merchant.
      ...['confirmPlanRequest', 'declinePlanRequest', 'setMerchantPlan', 'setBillingStatus'],
      ...['createMerchant', 'suspendMerchant', 'reinstateMerchant', 'closeMerchant', 'confirmMerchantExport'],
      ...['retryDeadLetters', 'dropDeadLetters'],
    ])
    expect(Object.keys(attacks).sort()).toEqual(names.filter((name) => !withoutIds.has(name)).sort())
  })

  test('get the same answers as unknown ids, and no row of that merchant changes', async () => {
    const before = await rowsOf(victim)
    for (const [name, { input, field, ...options }] of Object.entries(attacks)) {
      const answer = await shop.call(attacker, name, input, options)
      expect([name, answer]).toMatchObject([
        name,
        { kind: 'invalid', errors: [{ field, code: 'NOT_FOUND' }] },
      ])
    }
    expect(await rowsOf(victim)).toEqual(before)
  })

  test('of products, variants, reservations and shipping methods are not found for an order', async () => {
    const theirs = await shop.createProduct(victim, { stock: [1] })
    const [reservation] = await shop.database<{ id: string }[]>`
      SELECT id FROM inventory.reservation WHERE merchant_id = ${victim.merchantId} AND order_id IS NULL`
    const [method] = await shop.database<{ id: string }[]>`
      WITH zone AS (
        INSERT INTO merchant.shipping_zone (merchant_id, name) VALUES (${victim.merchantId}, 'Z') RETURNING merchant_id, id
      )
      INSERT INTO merchant.shipping_method (merchant_id, shipping_zone_id, name, price)
      SELECT merchant_id, id, 'Parcel', 1 FROM zone RETURNING id`
    const input = {
      customerId: attacker.customerId,
      items: [{ productId: theirs.id, quantity: 1 }],
      shippingAddress: address,
      shippingMethodId: found(method).id,
      reservationId: found(reservation).id,
    }
    const answer = await shop.call(attacker, 'createOrder', { input })
    expect(answer.kind === 'invalid' && answer.errors.map(({ field }) => field)).toEqual([
      'items.0.productId',
      'shippingMethodId',
      'reservationId',
    ])
  })

  test('and codes of coupons are not found for a cart and an order', async () => {
    await shop.createPromotion(victim, { code: 'THEIRS' })
    const own = await shop.createProduct(attacker, { stock: [1] })
    const items = [{ productId: own.id, quantity: 1 }]
    const { cartId } = dataOf(await shop.call(attacker, 'createCart', { input: { items } }))
    expect(await shop.call(attacker, 'applyCoupon', { cartId, code: 'THEIRS' })).toMatchObject({
      errors: [{ field: 'code', code: 'INVALID_COUPON', message: 'There is no such coupon' }],
    })
    const input = { customerId: attacker.customerId, items, shippingAddress: address, couponCode: 'THEIRS' }
    expect(await shop.call(attacker, 'createOrder', { input })).toMatchObject({
      errors: [{ field: 'couponCode', code: 'INVALID_COUPON', message: 'There is no such coupon' }],
    })
  })

  test('and the same Idempotency-Key are two different requests', async () => {
    const options = { idempotencyKey: 'shared' }
    for (const merchant of [victim, attacker]) {
      const product = await shop.createProduct(merchant, { stock: [1] })
      const items = [{ productId: product.id, quantity: 1 }]
      const input = { customerId: merchant.customerId, items, shippingAddress: address }
      const { merchantId } = dataOf(await shop.call(merchant, 'createOrder', { input }, options))
      expect(merchantId).toBe(merchant.merchantId)
    }
  })
})
