// Written from the SDL: change that, then `npm run generate`.

export interface AddressInput {
  readonly recipientName?: string | null
  readonly company?: string | null
  readonly line1: string
  readonly line2?: string | null
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
  readonly phone?: string | null
}

export interface AdjustInventoryInput {
  readonly sku: string
  readonly warehouseId?: string | null
  readonly delta: number
  readonly reason: string
}

export interface AdjustLoyaltyPointsInput {
  readonly customerId: string
  readonly points: number
  readonly reason: string
}

export interface AppointmentPaymentInput {
  readonly method:
    | 'CARD'
    | 'BANK_TRANSFER'
    | 'CASH'
    | 'PAYPAL'
    | 'APPLE_PAY'
    | 'GOOGLE_PAY'
    | 'SEPA_DEBIT'
    | 'INVOICE'
    | 'CASH_ON_DELIVERY'
    | 'LOYALTY_POINTS'
    | 'EXTERNAL'
  readonly paymentMethodId?: string | null
  readonly amount?: number | null
  readonly returnUrl?: string | null
  readonly received?: boolean | null
}

export interface CartItemInput {
  readonly productId: string
  readonly variantId?: string | null
  readonly quantity: number
  readonly properties?: readonly LinePropertyInput[] | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CheckoutCartInput {
  readonly customerId?: string | null
  readonly shippingAddress?: AddressInput | null
  readonly billingAddress?: AddressInput | null
  readonly shippingMethodId?: string | null
  readonly reservationId?: string | null
  readonly couponCode?: string | null
  readonly expectedTotal?: number | null
  readonly notes?: string | null
}

export interface ConnectPaymentAccountInput {
  readonly processor: 'STRIPE' | 'PAYPAL'
  readonly name?: string | null
  readonly clientId?: string | null
  readonly secretKey: string
  readonly webhookSecret?: string | null
}

export interface ContactInput {
  readonly customerId: string
  readonly name: string
  readonly title?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly notes?: string | null
}

export interface CreateApiKeyInput {
  readonly name: string
  readonly mode?: 'LIVE' | 'TEST' | null
  readonly permissions: readonly string[]
  readonly expiresAt?: string | null
}

export interface CreateAppointmentInput {
  readonly serviceId: string
  readonly staffId?: string | null
  readonly customerId: string
  readonly startTime: string
  readonly notes?: string | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CreateArticleInput {
  readonly title: string
  readonly slug?: string | null
  readonly excerpt?: string | null
  readonly body?: string | null
  readonly status?: 'DRAFT' | 'PUBLISHED' | null
  readonly tags?: readonly string[] | null
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
}

export interface CreateBookingServiceInput {
  readonly name: string
  readonly description?: string | null
  readonly duration: number
  readonly price: number
  readonly currency: string
  readonly active?: boolean | null
  readonly paymentPolicy?: 'NONE' | 'DEPOSIT' | 'FULL' | null
  readonly depositAmount?: number | null
  readonly depositPercent?: number | null
  readonly noShowFee?: number | null
  readonly cancellationMinutes?: number | null
  readonly resources?: readonly ResourceRequirementInput[] | null
}

export interface CreateCartInput {
  readonly customerId?: string | null
  readonly currency?: string | null
  readonly items?: readonly CartItemInput[] | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CreateCategoryInput {
  readonly name: string
  readonly slug?: string | null
  readonly description?: string | null
  readonly parentId?: string | null
  readonly image?: ImageInput | null
  readonly position?: number | null
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CreateDashboardInput {
  readonly name: string
  readonly description?: string | null
  readonly position?: number | null
  readonly widgets?: readonly DashboardWidgetInput[] | null
}

export interface CreateDraftOrderInput {
  readonly customerId?: string | null
  readonly items: readonly OrderItemInput[]
  readonly shippingAddress?: AddressInput | null
  readonly shippingMethodId?: string | null
  readonly couponCode?: string | null
  readonly notes?: string | null
  readonly tags?: readonly string[] | null
  readonly expiresAt?: string | null
}

export interface CreateEmailCampaignInput {
  readonly name: string
  readonly segmentId?: string | null
  readonly subject: string
  readonly html: string
  readonly text: string
}

export interface CreateEmailTemplateInput {
  readonly kind:
    | 'ORDER_CONFIRMATION'
    | 'ORDER_SHIPPED'
    | 'ORDER_REFUNDED'
    | 'ORDER_PAYMENT_REMINDER'
    | 'ORDER_CANCELLED'
    | 'STOCK_ALERT'
    | 'APPOINTMENT_BOOKED'
    | 'APPOINTMENT_MOVED'
    | 'APPOINTMENT_CANCELLED'
    | 'APPOINTMENT_REMINDER'
    | 'STAFF_APPOINTMENT_BOOKED'
    | 'STAFF_APPOINTMENT_MOVED'
    | 'STAFF_APPOINTMENT_CANCELLED'
    | 'LOW_STOCK_ALERT'
    | 'PAYMENT_DISPUTED'
    | 'SENDER_LOST'
    | 'WEBHOOK_DISABLED'
    | 'USER_INVITATION'
    | 'USER_PASSWORD_RESET'
    | 'USER_EMAIL_VERIFICATION'
    | 'CUSTOMER_PASSWORD_RESET'
    | 'CUSTOMER_EMAIL_VERIFICATION'
  readonly subject: string
  readonly html: string
  readonly text: string
}

export interface CreateExportInput {
  readonly query: string
  readonly format?: 'JSON_LINES' | 'CSV' | null
  readonly compressed?: boolean | null
}

export interface CreateFileUploadInput {
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  readonly purpose: 'IMAGE' | 'DOWNLOAD'
}

export interface CreateImportInput {
  readonly format: 'JSON_LINES' | 'CSV'
  readonly recordType?: 'PRODUCT' | 'CUSTOMER' | 'CATEGORY' | 'PROMOTION' | 'REVIEW' | 'ORDER' | null
  readonly fileSize: number
  readonly fileName?: string | null
  readonly dryRun?: boolean | null
  readonly onExisting?: 'SKIP' | 'UPDATE' | null
  readonly onRefused?: 'SKIP' | 'STOP' | null
}

export interface CreateIncomingStockInput {
  readonly sku: string
  readonly warehouseId?: string | null
  readonly quantity: number
  readonly expectedDate?: string | null
  readonly reference?: string | null
}

export interface CreateMerchantInput {
  readonly name: string
  readonly email: string
  readonly country: string
  readonly currency: string
  readonly timezone?: string | null
  readonly language?: string | null
  readonly origins?: readonly string[] | null
}

export interface CreateMetadataDefinitionInput {
  readonly ownerType:
    | 'PRODUCT'
    | 'PRODUCT_VARIANT'
    | 'CATEGORY'
    | 'CUSTOMER'
    | 'ORDER'
    | 'CART'
    | 'LINE'
    | 'WAREHOUSE'
    | 'APPOINTMENT'
  readonly namespace: string
  readonly key: string
  readonly type:
    'TEXT' | 'INTEGER' | 'DECIMAL' | 'BOOLEAN' | 'DATE' | 'DATE_TIME' | 'URL' | 'JSON' | 'LIST_OF_TEXT'
  readonly name: string
  readonly description?: string | null
  readonly private?: boolean | null
  readonly choices?: readonly string[] | null
  readonly min?: number | null
  readonly max?: number | null
  readonly isAttribute?: boolean | null
}

export interface CreateOrderInput {
  readonly customerId: string
  readonly items: readonly OrderItemInput[]
  readonly shippingAddress: AddressInput
  readonly billingAddress?: AddressInput | null
  readonly shippingMethodId?: string | null
  readonly couponCode?: string | null
  readonly notes?: string | null
  readonly reservationId?: string | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CreatePaymentOptionInput {
  readonly method:
    | 'CARD'
    | 'BANK_TRANSFER'
    | 'CASH'
    | 'PAYPAL'
    | 'APPLE_PAY'
    | 'GOOGLE_PAY'
    | 'SEPA_DEBIT'
    | 'INVOICE'
    | 'CASH_ON_DELIVERY'
    | 'LOYALTY_POINTS'
    | 'EXTERNAL'
  readonly name: string
  readonly instructions?: string | null
  readonly enabled?: boolean | null
  readonly position?: number | null
  readonly currencies?: readonly string[] | null
  readonly countries?: readonly string[] | null
  readonly minAmount?: number | null
  readonly maxAmount?: number | null
  readonly paymentMinutes?: number | null
}

export interface CreateProductInput {
  readonly name: string
  readonly description?: string | null
  readonly sku: string
  readonly price: number
  readonly currency: string
  readonly compareAtPrice?: number | null
  readonly costPerItem?: number | null
  readonly categoryIds?: readonly string[] | null
  readonly tags?: readonly string[] | null
  readonly images?: readonly ProductImageInput[] | null
  readonly variants?: readonly ProductVariantInput[] | null
  readonly status?: 'DRAFT' | 'ACTIVE' | 'ARCHIVED' | null
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
  readonly featured?: boolean | null
  readonly slug?: string | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CreatePromotionCampaignInput {
  readonly name: string
  readonly description?: string | null
}

export interface CreatePromotionInput {
  readonly name: string
  readonly description?: string | null
  readonly code?: string | null
  readonly discountType: 'PERCENTAGE' | 'FIXED_AMOUNT' | 'FREE_SHIPPING'
  readonly discountValue?: number | null
  readonly startDate: string
  readonly endDate: string
  readonly disabled?: boolean | null
  readonly usageLimit?: number | null
  readonly conditions?: PromotionConditionsInput | null
  readonly campaignId?: string | null
}

export interface CreatePublishableKeyInput {
  readonly name: string
  readonly origins?: readonly string[] | null
}

export interface CreateResourceInput {
  readonly name: string
  readonly kind: string
  readonly active?: boolean | null
  readonly priority?: number | null
}

export interface CreateReviewInput {
  readonly productId: string
  readonly customerId?: string | null
  readonly authorName: string
  readonly rating: number
  readonly title?: string | null
  readonly body?: string | null
  readonly status?: 'PENDING' | 'APPROVED' | 'REJECTED' | null
}

export interface CreateRoleInput {
  readonly name: string
  readonly description?: string | null
  readonly permissions: readonly string[]
}

export interface CreateScheduleInput {
  readonly staffId: string
  readonly type: 'WEEKLY' | 'TIME_OFF' | 'EXTRA_HOURS'
  readonly weekday?: 'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY' | null
  readonly startDate?: string | null
  readonly endDate?: string | null
  readonly startTime?: string | null
  readonly endTime?: string | null
}

export interface CreateShippingZoneInput {
  readonly name: string
  readonly countries?: readonly string[] | null
  readonly methods?: readonly ShippingMethodInput[] | null
}

export interface CreateStaffMemberInput {
  readonly name: string
  readonly email: string
  readonly phone?: string | null
  readonly timeZone?: string | null
  readonly active?: boolean | null
  readonly priority?: number | null
  readonly serviceIds?: readonly string[] | null
}

export interface CreateTransferInput {
  readonly fromWarehouseId: string
  readonly toWarehouseId: string
  readonly lines: readonly TransferLineInput[]
  readonly expectedDate?: string | null
  readonly notes?: string | null
}

export interface CreateUserInput {
  readonly email: string
  readonly name?: string | null
  readonly phone?: string | null
  readonly roleIds?: readonly string[] | null
}

export interface CreateWarehouseInput {
  readonly name: string
  readonly code: string
  readonly location: AddressInput
  readonly active?: boolean | null
  readonly priority?: number | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CreateWebhookEndpointInput {
  readonly url: string
  readonly description?: string | null
  readonly topics: readonly string[]
  readonly filter?: readonly WebhookConditionInput[] | null
  readonly query?: string | null
  readonly enabled?: boolean | null
}

export interface CustomerInput {
  readonly email: string
  readonly name: string
  readonly phone?: string | null
  readonly marketingOptIn?: boolean | null
  readonly tags?: readonly string[] | null
  readonly notes?: string | null
  readonly addresses?: readonly AddressInput[] | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface CustomerSegmentFilterInput {
  readonly totalSpentMin?: number | null
  readonly totalSpentMax?: number | null
  readonly orderCountMin?: number | null
  readonly orderCountMax?: number | null
  readonly lastOrderAfter?: string | null
  readonly lastOrderBefore?: string | null
  readonly lastOrderWithinDays?: number | null
  readonly noOrderForDays?: number | null
  readonly tags?: readonly string[] | null
  readonly cities?: readonly string[] | null
  readonly countries?: readonly string[] | null
  readonly loyaltyTierIds?: readonly string[] | null
  readonly marketingOptIn?: boolean | null
  readonly emailVerified?: boolean | null
  readonly createdAfter?: string | null
  readonly createdBefore?: string | null
}

export interface CustomerSegmentInput {
  readonly name: string
  readonly description?: string | null
  readonly filter?: CustomerSegmentFilterInput | null
}

export interface DashboardWidgetInput {
  readonly title: string
  readonly metrics: readonly (
    | 'ORDERS_PLACED'
    | 'ORDERS_CANCELLED'
    | 'ORDERS'
    | 'UNITS'
    | 'GROSS_SALES'
    | 'DISCOUNTS'
    | 'REVENUE'
    | 'SHIPPING'
    | 'TAX'
    | 'TOTAL_SALES'
    | 'AVERAGE_ORDER_VALUE'
    | 'REFUNDS'
    | 'REFUNDED'
    | 'CUSTOMERS'
    | 'NEW_CUSTOMERS'
    | 'RETURNING_CUSTOMERS'
    | 'REGISTRATIONS'
    | 'VIEWS'
    | 'STOCK_RECEIVED'
    | 'STOCK_REMOVED'
    | 'STOCK_LEVEL'
  )[]
  readonly lastDays: number
  readonly interval?: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR' | null
  readonly timeZone?: string | null
  readonly groupBy?: 'CURRENCY' | 'STATUS' | 'PRODUCT' | 'CATEGORY' | null
  readonly groupLimit?: number | null
  readonly currency?: string | null
  readonly compare?: boolean | null
}

export interface FulfillOrderInput {
  readonly items?: readonly ShipmentItemInput[] | null
  readonly shipped?: boolean | null
  readonly carrier?: string | null
  readonly trackingNumber?: string | null
  readonly estimatedDeliveryAt?: string | null
}

export interface ImageInput {
  readonly url: string
  readonly alt?: string | null
}

export interface ImportAddressRow {
  readonly recipientName?: string | null
  readonly company?: string | null
  readonly line1?: string | null
  readonly line2?: string | null
  readonly city?: string | null
  readonly state?: string | null
  readonly postalCode?: string | null
  readonly country?: string | null
  readonly phone?: string | null
  readonly isDefault?: boolean | null
}

export interface ImportCategoryRow {
  readonly externalId?: string | null
  readonly path: string
  readonly slug?: string | null
  readonly description?: string | null
  readonly position?: number | null
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
}

export interface ImportCustomerRow {
  readonly externalId?: string | null
  readonly email: string
  readonly name: string
  readonly phone?: string | null
  readonly marketingOptIn?: boolean | null
  readonly notes?: string | null
  readonly tags?: readonly string[] | null
  readonly addresses?: readonly ImportAddressRow[] | null
  readonly createdAt?: string | null
}

export interface ImportImageRow {
  readonly url: string
  readonly alt?: string | null
  readonly width?: number | null
  readonly height?: number | null
}

export interface ImportOptionRow {
  readonly name: string
  readonly value: string
}

export interface ImportOrderCustomerRow {
  readonly externalId?: string | null
  readonly email?: string | null
  readonly name?: string | null
  readonly phone?: string | null
}

export interface ImportOrderLineRow {
  readonly sku?: string | null
  readonly productExternalId?: string | null
  readonly name: string
  readonly quantity: number
  readonly price: number
  readonly discount?: number | null
  readonly tax?: number | null
}

export interface ImportOrderRow {
  readonly externalId?: string | null
  readonly orderNumber: string
  readonly placedAt: string
  readonly currency: string
  readonly status?:
    'PENDING' | 'CONFIRMED' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | 'REFUNDED' | null
  readonly customer?: ImportOrderCustomerRow | null
  readonly shippingAddress?: ImportAddressRow | null
  readonly billingAddress?: ImportAddressRow | null
  readonly lines: readonly ImportOrderLineRow[]
  readonly shipping?: number | null
  readonly shippingDiscount?: number | null
  readonly discount?: number | null
  readonly tax?: number | null
  readonly total: number
  readonly couponCode?: string | null
  readonly notes?: string | null
  readonly tags?: readonly string[] | null
  readonly paidAt?: string | null
  readonly payments?: readonly ImportPaymentRow[] | null
  readonly refunds?: readonly ImportRefundRow[] | null
  readonly shipments?: readonly ImportShipmentRow[] | null
  readonly cancelledAt?: string | null
  readonly cancelReason?: string | null
}

export interface ImportPaymentRow {
  readonly amount: number
  readonly paidAt?: string | null
  readonly reference?: string | null
}

export interface ImportProductRow {
  readonly externalId?: string | null
  readonly sku: string
  readonly name: string
  readonly description?: string | null
  readonly price: number
  readonly currency: string
  readonly compareAtPrice?: number | null
  readonly costPerItem?: number | null
  readonly status?: 'DRAFT' | 'ACTIVE' | 'ARCHIVED' | null
  readonly featured?: boolean | null
  readonly slug?: string | null
  readonly tags?: readonly string[] | null
  readonly categories?: readonly string[] | null
  readonly images?: readonly ImportImageRow[] | null
  readonly variants?: readonly ImportVariantRow[] | null
  readonly stock?: readonly ImportStockRow[] | null
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
  readonly createdAt?: string | null
}

export interface ImportPromotionRow {
  readonly externalId?: string | null
  readonly name: string
  readonly description?: string | null
  readonly code?: string | null
  readonly discountType: 'PERCENTAGE' | 'FIXED_AMOUNT' | 'FREE_SHIPPING'
  readonly discountValue?: number | null
  readonly startDate: string
  readonly endDate: string
  readonly disabled?: boolean | null
  readonly usageLimit?: number | null
}

export interface ImportRefundLineRow {
  readonly line: number
  readonly quantity: number
  readonly amount: number
}

export interface ImportRefundRow {
  readonly amount: number
  readonly refundedAt: string
  readonly shippingAmount?: number | null
  readonly reason?: string | null
  readonly lines?: readonly ImportRefundLineRow[] | null
}

export interface ImportReviewRow {
  readonly externalId: string
  readonly sku: string
  readonly email?: string | null
  readonly authorName: string
  readonly rating: number
  readonly title?: string | null
  readonly body?: string | null
  readonly status?: 'PENDING' | 'APPROVED' | 'REJECTED' | null
  readonly createdAt?: string | null
}

export interface ImportShipmentLineRow {
  readonly line: number
  readonly quantity: number
}

export interface ImportShipmentRow {
  readonly shippedAt: string
  readonly deliveredAt?: string | null
  readonly carrier?: string | null
  readonly trackingNumber?: string | null
  readonly lines?: readonly ImportShipmentLineRow[] | null
}

export interface ImportStockRow {
  readonly warehouse?: string | null
  readonly available: number
}

export interface ImportVariantRow {
  readonly sku: string
  readonly price?: number | null
  readonly compareAtPrice?: number | null
  readonly options?: readonly ImportOptionRow[] | null
  readonly stock?: readonly ImportStockRow[] | null
}

export interface InteractionInput {
  readonly customerId: string
  readonly contactId?: string | null
  readonly type: 'CALL' | 'EMAIL' | 'MEETING' | 'NOTE'
  readonly subject: string
  readonly body?: string | null
  readonly author?: string | null
  readonly occurredAt?: string | null
}

export interface LinePropertyInput {
  readonly name: string
  readonly value: string
}

export interface LoyaltyRewardInput {
  readonly name: string
  readonly description?: string | null
  readonly points: number
  readonly discountAmount: number
  readonly minPurchaseAmount?: number | null
  readonly validDays?: number | null
  readonly active?: boolean | null
}

export interface LoyaltyTierInput {
  readonly name: string
  readonly threshold: number
  readonly benefits?: string | null
}

export interface NotificationDeviceInput {
  readonly platform: 'IOS' | 'ANDROID' | 'WEB'
  readonly token: string
  readonly name?: string | null
}

export interface NotificationPreferenceInput {
  readonly kind:
    | 'ORDER_CONFIRMATION'
    | 'ORDER_SHIPPED'
    | 'ORDER_REFUNDED'
    | 'ORDER_PAYMENT_REMINDER'
    | 'ORDER_CANCELLED'
    | 'STOCK_ALERT'
    | 'APPOINTMENT_BOOKED'
    | 'APPOINTMENT_MOVED'
    | 'APPOINTMENT_CANCELLED'
    | 'APPOINTMENT_REMINDER'
    | 'STAFF_APPOINTMENT_BOOKED'
    | 'STAFF_APPOINTMENT_MOVED'
    | 'STAFF_APPOINTMENT_CANCELLED'
    | 'LOW_STOCK_ALERT'
    | 'PAYMENT_DISPUTED'
    | 'SENDER_LOST'
    | 'WEBHOOK_DISABLED'
  readonly channel: 'EMAIL' | 'PUSH' | 'IN_APP'
  readonly enabled: boolean
  readonly customerId?: string | null
}

export interface OrderItemInput {
  readonly productId: string
  readonly variantId?: string | null
  readonly quantity: number
  readonly properties?: readonly LinePropertyInput[] | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface OrderModifications {
  readonly addItems?: readonly OrderItemInput[] | null
  readonly updateItems?: readonly UpdateOrderItemInput[] | null
  readonly removeItemIds?: readonly string[] | null
  readonly shippingAddress?: AddressInput | null
  readonly billingAddress?: AddressInput | null
  readonly notes?: string | null
}

export interface OrderNoteInput {
  readonly text: string
  readonly visibleToCustomer?: boolean | null
}

export interface PaymentInput {
  readonly orderId: string
  readonly method:
    | 'CARD'
    | 'BANK_TRANSFER'
    | 'CASH'
    | 'PAYPAL'
    | 'APPLE_PAY'
    | 'GOOGLE_PAY'
    | 'SEPA_DEBIT'
    | 'INVOICE'
    | 'CASH_ON_DELIVERY'
    | 'LOYALTY_POINTS'
    | 'EXTERNAL'
  readonly paymentMethodId?: string | null
  readonly amount?: number | null
  readonly partial?: boolean | null
  readonly returnUrl?: string | null
  readonly captureMethod?: 'AUTOMATIC' | 'MANUAL' | null
  readonly received?: boolean | null
  readonly savedPaymentMethodId?: string | null
  readonly savePaymentMethod?: boolean | null
}

export interface PreviewEmailCampaignInput {
  readonly segmentId?: string | null
  readonly subject: string
  readonly html: string
  readonly text: string
}

export interface PreviewEmailTemplateInput {
  readonly kind:
    | 'ORDER_CONFIRMATION'
    | 'ORDER_SHIPPED'
    | 'ORDER_REFUNDED'
    | 'ORDER_PAYMENT_REMINDER'
    | 'ORDER_CANCELLED'
    | 'STOCK_ALERT'
    | 'APPOINTMENT_BOOKED'
    | 'APPOINTMENT_MOVED'
    | 'APPOINTMENT_CANCELLED'
    | 'APPOINTMENT_REMINDER'
    | 'STAFF_APPOINTMENT_BOOKED'
    | 'STAFF_APPOINTMENT_MOVED'
    | 'STAFF_APPOINTMENT_CANCELLED'
    | 'LOW_STOCK_ALERT'
    | 'PAYMENT_DISPUTED'
    | 'SENDER_LOST'
    | 'WEBHOOK_DISABLED'
    | 'USER_INVITATION'
    | 'USER_PASSWORD_RESET'
    | 'USER_EMAIL_VERIFICATION'
    | 'CUSTOMER_PASSWORD_RESET'
    | 'CUSTOMER_EMAIL_VERIFICATION'
  readonly subject?: string | null
  readonly html?: string | null
  readonly text?: string | null
}

export interface ProductImageInput {
  readonly url: string
  readonly alt?: string | null
  readonly width?: number | null
  readonly height?: number | null
  readonly order?: number | null
}

export interface ProductVariantInput {
  readonly sku: string
  readonly price?: number | null
  readonly compareAtPrice?: number | null
  readonly options?: readonly VariantOptionInput[] | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly privateMetadata?: Readonly<Record<string, unknown>> | null
}

export interface PromotionConditionsInput {
  readonly minPurchaseAmount?: number | null
  readonly maxDiscountAmount?: number | null
  readonly productIds?: readonly string[] | null
  readonly categoryIds?: readonly string[] | null
  readonly customerIds?: readonly string[] | null
  readonly firstOrderOnly?: boolean | null
}

export interface ReceiveReturnInput {
  readonly restock?: readonly RestockItemInput[] | null
  readonly warehouseId?: string | null
}

export interface RecordPaymentInput {
  readonly orderId: string
  readonly method:
    | 'CARD'
    | 'BANK_TRANSFER'
    | 'CASH'
    | 'PAYPAL'
    | 'APPLE_PAY'
    | 'GOOGLE_PAY'
    | 'SEPA_DEBIT'
    | 'INVOICE'
    | 'CASH_ON_DELIVERY'
    | 'LOYALTY_POINTS'
    | 'EXTERNAL'
  readonly amount?: number | null
}

export interface RedeemLoyaltyRewardInput {
  readonly customerId: string
  readonly rewardId: string
}

export interface RefundItemInput {
  readonly orderItemId: string
  readonly quantity: number
  readonly restock?: boolean | null
}

export interface RefundOrderInput {
  readonly items: readonly RefundItemInput[]
  readonly shipping?: boolean | null
  readonly amount?: number | null
  readonly reason: string
}

export interface RefundPaymentInput {
  readonly amount?: number | null
  readonly reason: string
}

export interface RefundReturnInput {
  readonly shipping?: boolean | null
  readonly amount?: number | null
}

export interface RegisterCustomerInput {
  readonly email: string
  readonly password: string
  readonly name: string
  readonly phone?: string | null
  readonly marketingOptIn?: boolean | null
  readonly cartId?: string | null
}

export interface ReplayWebhookDeliveriesInput {
  readonly endpointId: string
  readonly deliveryIds?: readonly string[] | null
  readonly startDate?: string | null
  readonly endDate?: string | null
  readonly onlyUndelivered?: boolean | null
}

export interface RequestReturnInput {
  readonly orderId: string
  readonly items: readonly ReturnItemInput[]
  readonly note?: string | null
}

export interface RescheduleAppointmentInput {
  readonly startTime: string
  readonly staffId?: string | null
}

export interface ReserveItemInput {
  readonly sku: string
  readonly quantity: number
}

export interface ResourceRequirementInput {
  readonly kind: string
  readonly quantity?: number | null
}

export interface RestockItemInput {
  readonly orderItemId: string
  readonly quantity: number
}

export interface ReturnItemInput {
  readonly orderItemId: string
  readonly quantity: number
  readonly reason: 'DAMAGED' | 'WRONG_ITEM' | 'NOT_AS_DESCRIBED' | 'DOES_NOT_FIT' | 'CHANGED_MIND' | 'OTHER'
}

export interface SavePaymentMethodInput {
  readonly customerId?: string | null
  readonly method?:
    | 'CARD'
    | 'BANK_TRANSFER'
    | 'CASH'
    | 'PAYPAL'
    | 'APPLE_PAY'
    | 'GOOGLE_PAY'
    | 'SEPA_DEBIT'
    | 'INVOICE'
    | 'CASH_ON_DELIVERY'
    | 'LOYALTY_POINTS'
    | 'EXTERNAL'
    | null
  readonly paymentMethodId: string
  readonly returnUrl?: string | null
}

export interface SendTestEmailInput {
  readonly kind:
    | 'ORDER_CONFIRMATION'
    | 'ORDER_SHIPPED'
    | 'ORDER_REFUNDED'
    | 'ORDER_PAYMENT_REMINDER'
    | 'ORDER_CANCELLED'
    | 'STOCK_ALERT'
    | 'APPOINTMENT_BOOKED'
    | 'APPOINTMENT_MOVED'
    | 'APPOINTMENT_CANCELLED'
    | 'APPOINTMENT_REMINDER'
    | 'STAFF_APPOINTMENT_BOOKED'
    | 'STAFF_APPOINTMENT_MOVED'
    | 'STAFF_APPOINTMENT_CANCELLED'
    | 'LOW_STOCK_ALERT'
    | 'PAYMENT_DISPUTED'
    | 'SENDER_LOST'
    | 'WEBHOOK_DISABLED'
    | 'USER_INVITATION'
    | 'USER_PASSWORD_RESET'
    | 'USER_EMAIL_VERIFICATION'
    | 'CUSTOMER_PASSWORD_RESET'
    | 'CUSTOMER_EMAIL_VERIFICATION'
    | 'CAMPAIGN'
  readonly campaignId?: string | null
  readonly subject?: string | null
  readonly html?: string | null
  readonly text?: string | null
}

export interface SetEmailLinkInput {
  readonly kind:
    | 'USER_INVITATION'
    | 'USER_PASSWORD_RESET'
    | 'USER_EMAIL_VERIFICATION'
    | 'CUSTOMER_PASSWORD_RESET'
    | 'CUSTOMER_EMAIL_VERIFICATION'
    | 'GUEST_ORDER'
  readonly url?: string | null
}

export interface SetEmailSenderInput {
  readonly address?: string | null
}

export interface SetInventoryLevelInput {
  readonly sku: string
  readonly warehouseId?: string | null
  readonly available: number
  readonly reason?: string | null
}

export interface SetLowStockThresholdInput {
  readonly sku: string
  readonly threshold?: number | null
}

export interface ShipmentInput {
  readonly carrier?: string | null
  readonly trackingNumber?: string | null
  readonly estimatedDeliveryAt?: string | null
}

export interface ShipmentItemInput {
  readonly orderItemId: string
  readonly quantity: number
}

export interface ShippingMethodInput {
  readonly name: string
  readonly price: number
  readonly active?: boolean | null
}

export interface SignInCustomerInput {
  readonly email: string
  readonly password: string
  readonly cartId?: string | null
}

export interface SignInUserInput {
  readonly email: string
  readonly password: string
  readonly code?: string | null
}

export interface StartGuestCheckoutInput {
  readonly email: string
  readonly name?: string | null
  readonly phone?: string | null
  readonly cartId: string
}

export interface TransferLineInput {
  readonly sku: string
  readonly quantity: number
}

export interface UpdateAddressInput {
  readonly recipientName?: string | null
  readonly company?: string | null
  readonly line1?: string
  readonly line2?: string | null
  readonly city?: string
  readonly state?: string
  readonly postalCode?: string
  readonly country?: string
  readonly phone?: string | null
}

export interface UpdateAppointmentInput {
  readonly notes?: string | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateArticleInput {
  readonly title?: string
  readonly slug?: string
  readonly excerpt?: string | null
  readonly body?: string
  readonly status?: 'DRAFT' | 'PUBLISHED'
  readonly tags?: readonly string[]
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
}

export interface UpdateBookingServiceInput {
  readonly name?: string
  readonly description?: string | null
  readonly duration?: number
  readonly price?: number
  readonly currency?: string
  readonly active?: boolean
  readonly paymentPolicy?: 'NONE' | 'DEPOSIT' | 'FULL'
  readonly depositAmount?: number | null
  readonly depositPercent?: number | null
  readonly noShowFee?: number | null
  readonly cancellationMinutes?: number
  readonly resources?: readonly ResourceRequirementInput[]
}

export interface UpdateCartInput {
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateCategoryInput {
  readonly name?: string
  readonly slug?: string
  readonly description?: string | null
  readonly parentId?: string | null
  readonly image?: ImageInput | null
  readonly position?: number
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateContactInput {
  readonly name?: string
  readonly title?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly notes?: string | null
}

export interface UpdateCustomerInput {
  readonly email?: string
  readonly name?: string
  readonly phone?: string | null
  readonly marketingOptIn?: boolean
  readonly tags?: readonly string[]
  readonly notes?: string | null
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateCustomerSegmentInput {
  readonly name?: string
  readonly description?: string | null
  readonly filter?: CustomerSegmentFilterInput | null
}

export interface UpdateDashboardInput {
  readonly name?: string
  readonly description?: string | null
  readonly position?: number
  readonly widgets?: readonly DashboardWidgetInput[]
}

export interface UpdateDraftOrderInput {
  readonly customerId?: string | null
  readonly items?: readonly OrderItemInput[] | null
  readonly shippingAddress?: AddressInput | null
  readonly shippingMethodId?: string | null
  readonly couponCode?: string | null
  readonly notes?: string | null
  readonly tags?: readonly string[] | null
  readonly expiresAt?: string | null
}

export interface UpdateEmailCampaignInput {
  readonly name?: string
  readonly segmentId?: string | null
  readonly subject?: string
  readonly html?: string
  readonly text?: string
}

export interface UpdateEmailTemplateInput {
  readonly subject?: string
  readonly html?: string
  readonly text?: string
}

export interface UpdateIncomingStockInput {
  readonly quantity?: number
  readonly expectedDate?: string | null
  readonly reference?: string | null
}

export interface UpdateInteractionInput {
  readonly contactId?: string | null
  readonly type?: 'CALL' | 'EMAIL' | 'MEETING' | 'NOTE'
  readonly subject?: string
  readonly body?: string | null
  readonly author?: string | null
  readonly occurredAt?: string
}

export interface UpdateLoyaltyProgramInput {
  readonly enabled?: boolean
  readonly earnPoints?: number
  readonly earnAmount?: number
  readonly pointsExpireAfterDays?: number | null
  readonly pointValue?: number | null
  readonly tierBasis?: 'POINTS_EARNED' | 'TOTAL_SPENT'
}

export interface UpdateLoyaltyRewardInput {
  readonly name?: string
  readonly description?: string | null
  readonly points?: number
  readonly discountAmount?: number
  readonly minPurchaseAmount?: number | null
  readonly validDays?: number
  readonly active?: boolean
}

export interface UpdateLoyaltyTierInput {
  readonly name?: string
  readonly threshold?: number
  readonly benefits?: string | null
}

export interface UpdateMerchantAccountInput {
  readonly name?: string
  readonly email?: string
  readonly phone?: string | null
  readonly website?: string | null
  readonly country?: string | null
  readonly ipWhitelistEnabled?: boolean
}

export interface UpdateMerchantSettingsInput {
  readonly currency?: string
  readonly timezone?: string
  readonly language?: string
  readonly taxRate?: number
  readonly lowStockThreshold?: number
  readonly mfaRequired?: boolean
  readonly cardPaymentMinutes?: number
  readonly bankTransferPaymentMinutes?: number | null
  readonly cashPaymentMinutes?: number | null
  readonly acceptsBankTransfer?: boolean
  readonly acceptsCash?: boolean
  readonly maxUnpaidOrders?: number | null
  readonly maxUnpaidUnits?: number | null
  readonly stockVisibility?: 'IN_STOCK_ONLY' | 'UP_TO_BOUND' | 'EXACT'
  readonly stockVisibilityBound?: number
  readonly searchSynonyms?: readonly string[]
  readonly searchStopWords?: readonly string[]
}

export interface UpdateMetadataDefinitionInput {
  readonly name?: string
  readonly description?: string | null
  readonly choices?: readonly string[] | null
  readonly min?: number | null
  readonly max?: number | null
  readonly isAttribute?: boolean
}

export interface UpdateOrderInput {
  readonly notes?: string | null
  readonly tags?: readonly string[]
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateOrderItemInput {
  readonly id: string
  readonly quantity: number
}

export interface UpdatePaymentAccountInput {
  readonly name?: string
  readonly clientId?: string
  readonly secretKey?: string
  readonly webhookSecret?: string | null
}

export interface UpdatePaymentOptionInput {
  readonly name?: string
  readonly instructions?: string | null
  readonly enabled?: boolean
  readonly position?: number
  readonly currencies?: readonly string[]
  readonly countries?: readonly string[]
  readonly minAmount?: number | null
  readonly maxAmount?: number | null
  readonly paymentMinutes?: number | null
}

export interface UpdateProductInput {
  readonly name?: string
  readonly description?: string | null
  readonly sku?: string
  readonly price?: number
  readonly currency?: string
  readonly compareAtPrice?: number | null
  readonly costPerItem?: number | null
  readonly categoryIds?: readonly string[]
  readonly tags?: readonly string[]
  readonly images?: readonly ProductImageInput[]
  readonly status?: 'DRAFT' | 'ACTIVE' | 'ARCHIVED'
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
  readonly featured?: boolean
  readonly slug?: string
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateProductVariantInput {
  readonly sku?: string
  readonly price?: number | null
  readonly compareAtPrice?: number | null
  readonly options?: readonly VariantOptionInput[]
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateProductsInput {
  readonly id: string
  readonly name?: string
  readonly description?: string | null
  readonly sku?: string
  readonly price?: number
  readonly currency?: string
  readonly compareAtPrice?: number | null
  readonly costPerItem?: number | null
  readonly categoryIds?: readonly string[]
  readonly tags?: readonly string[]
  readonly images?: readonly ProductImageInput[]
  readonly status?: 'DRAFT' | 'ACTIVE' | 'ARCHIVED'
  readonly seoTitle?: string | null
  readonly seoDescription?: string | null
  readonly featured?: boolean
  readonly slug?: string
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdatePromotionCampaignInput {
  readonly name?: string
  readonly description?: string | null
}

export interface UpdatePromotionInput {
  readonly name?: string
  readonly description?: string | null
  readonly code?: string | null
  readonly discountType?: 'PERCENTAGE' | 'FIXED_AMOUNT' | 'FREE_SHIPPING'
  readonly discountValue?: number
  readonly startDate?: string
  readonly endDate?: string
  readonly disabled?: boolean
  readonly usageLimit?: number | null
  readonly conditions?: PromotionConditionsInput | null
  readonly campaignId?: string | null
}

export interface UpdateResourceInput {
  readonly name?: string
  readonly kind?: string
  readonly active?: boolean
  readonly priority?: number
}

export interface UpdateReviewInput {
  readonly authorName?: string
  readonly rating?: number
  readonly title?: string | null
  readonly body?: string | null
  readonly status?: 'PENDING' | 'APPROVED' | 'REJECTED'
}

export interface UpdateRoleInput {
  readonly name?: string
  readonly description?: string | null
  readonly permissions?: readonly string[]
}

export interface UpdateScheduleInput {
  readonly weekday?: 'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY'
  readonly startDate?: string | null
  readonly endDate?: string | null
  readonly startTime?: string
  readonly endTime?: string
}

export interface UpdateShippingMethodInput {
  readonly name?: string
  readonly price?: number
  readonly active?: boolean
}

export interface UpdateShippingZoneInput {
  readonly name?: string
  readonly countries?: readonly string[]
}

export interface UpdateStaffMemberInput {
  readonly name?: string
  readonly email?: string
  readonly phone?: string | null
  readonly timeZone?: string | null
  readonly active?: boolean
  readonly priority?: number
  readonly serviceIds?: readonly string[]
}

export interface UpdateTransferInput {
  readonly lines?: readonly TransferLineInput[]
  readonly expectedDate?: string | null
  readonly notes?: string | null
}

export interface UpdateUserInput {
  readonly email?: string
  readonly name?: string
  readonly phone?: string | null
}

export interface UpdateWarehouseInput {
  readonly name?: string
  readonly code?: string
  readonly location?: AddressInput
  readonly active?: boolean
  readonly priority?: number
  readonly externalId?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly privateMetadata?: Readonly<Record<string, unknown>>
}

export interface UpdateWebhookEndpointInput {
  readonly url?: string
  readonly description?: string | null
  readonly topics?: readonly string[]
  readonly filter?: readonly WebhookConditionInput[] | null
  readonly query?: string | null
  readonly enabled?: boolean
}

export interface VariantOptionInput {
  readonly name: string
  readonly value: string
}

export interface WebhookConditionInput {
  readonly field: string
  readonly changed?: boolean | null
  readonly equals?: string | null
  readonly oneOf?: readonly string[] | null
  readonly atLeast?: number | null
  readonly atMost?: number | null
}

/** The arguments of each field of Mutation, by the field's name. */
export interface MutationArguments {
  readonly createProduct: { readonly input: CreateProductInput }
  readonly createProducts: { readonly inputs: readonly CreateProductInput[] }
  readonly updateProducts: { readonly inputs: readonly UpdateProductsInput[] }
  readonly updateProduct: { readonly id: string; readonly input: UpdateProductInput }
  readonly deleteProduct: { readonly id: string }
  readonly createProductVariant: { readonly productId: string; readonly input: ProductVariantInput }
  readonly updateProductVariant: { readonly id: string; readonly input: UpdateProductVariantInput }
  readonly deleteProductVariant: { readonly id: string }
  readonly createCategory: { readonly input: CreateCategoryInput }
  readonly updateCategory: { readonly id: string; readonly input: UpdateCategoryInput }
  readonly deleteCategory: { readonly id: string }
  readonly createReview: { readonly input: CreateReviewInput }
  readonly updateReview: { readonly id: string; readonly input: UpdateReviewInput }
  readonly deleteReview: { readonly id: string }
  readonly createOrder: { readonly input: CreateOrderInput }
  readonly updateOrder: { readonly id: string; readonly input: UpdateOrderInput }
  readonly modifyOrder: { readonly id: string; readonly modifications: OrderModifications }
  readonly cancelOrder: { readonly id: string; readonly reason: string }
  readonly processOrder: { readonly id: string }
  readonly fulfillOrder: { readonly id: string; readonly input: FulfillOrderInput }
  readonly markOrderDelivered: { readonly id: string }
  readonly updateShipment: { readonly id: string; readonly input: ShipmentInput }
  readonly markShipmentShipped: { readonly id: string; readonly input: ShipmentInput }
  readonly markShipmentDelivered: { readonly id: string }
  readonly cancelShipment: { readonly id: string }
  readonly createDraftOrder: { readonly input: CreateDraftOrderInput }
  readonly updateDraftOrder: { readonly id: string; readonly input: UpdateDraftOrderInput }
  readonly deleteDraftOrder: { readonly id: string }
  readonly completeDraftOrder: { readonly id: string }
  readonly addOrderNote: { readonly id: string; readonly input: OrderNoteInput }
  readonly requestReturn: { readonly input: RequestReturnInput }
  readonly approveReturn: { readonly id: string }
  readonly rejectReturn: { readonly id: string; readonly reason: string }
  readonly cancelReturn: { readonly id: string }
  readonly receiveReturn: { readonly id: string; readonly input: ReceiveReturnInput }
  readonly createCart: { readonly input: CreateCartInput }
  readonly addCartItem: { readonly cartId: string; readonly item: CartItemInput }
  readonly updateCartItem: { readonly cartId: string; readonly itemId: string; readonly quantity: number }
  readonly removeCartItem: { readonly cartId: string; readonly itemId: string }
  readonly updateCart: { readonly id: string; readonly input: UpdateCartInput }
  readonly deleteCart: { readonly id: string }
  readonly checkoutCart: { readonly id: string; readonly input: CheckoutCartInput }
  readonly setCartShippingAddress: { readonly cartId: string; readonly address: AddressInput }
  readonly setCartShippingMethod: { readonly cartId: string; readonly shippingMethodId?: string | null }
  readonly createWarehouse: { readonly input: CreateWarehouseInput }
  readonly updateWarehouse: { readonly id: string; readonly input: UpdateWarehouseInput }
  readonly deleteWarehouse: { readonly id: string }
  readonly setInventoryLevel: { readonly input: SetInventoryLevelInput }
  readonly adjustInventory: { readonly input: AdjustInventoryInput }
  readonly setLowStockThreshold: { readonly input: SetLowStockThresholdInput }
  readonly createIncomingStock: { readonly input: CreateIncomingStockInput }
  readonly updateIncomingStock: { readonly id: string; readonly input: UpdateIncomingStockInput }
  readonly receiveIncomingStock: { readonly id: string; readonly quantity?: number | null }
  readonly cancelIncomingStock: { readonly id: string }
  readonly createTransfer: { readonly input: CreateTransferInput }
  readonly updateTransfer: { readonly id: string; readonly input: UpdateTransferInput }
  readonly shipTransfer: { readonly id: string }
  readonly receiveTransfer: { readonly id: string; readonly lines?: readonly TransferLineInput[] | null }
  readonly cancelTransfer: { readonly id: string }
  readonly subscribeStockAlert: { readonly sku: string; readonly email: string }
  readonly unsubscribeStockAlert: { readonly id: string }
  readonly reserveInventory: {
    readonly items: readonly ReserveItemInput[]
    readonly expiresInSeconds?: number | null
  }
  readonly releaseReservation: { readonly id: string }
  readonly createCustomerAccessToken: { readonly customerId: string }
  readonly blockCustomer: { readonly id: string; readonly reason: string }
  readonly unblockCustomer: { readonly id: string }
  readonly createUser: { readonly input: CreateUserInput }
  readonly updateUser: { readonly id: string; readonly input: UpdateUserInput }
  readonly suspendUser: { readonly id: string }
  readonly reactivateUser: { readonly id: string }
  readonly deleteUser: { readonly id: string }
  readonly assignRole: { readonly userId: string; readonly roleId: string }
  readonly removeRole: { readonly userId: string; readonly roleId: string }
  readonly createRole: { readonly input: CreateRoleInput }
  readonly updateRole: { readonly id: string; readonly input: UpdateRoleInput }
  readonly deleteRole: { readonly id: string }
  readonly signInUser: { readonly input: SignInUserInput }
  readonly signInCustomer: { readonly input: SignInCustomerInput }
  readonly registerCustomer: { readonly input: RegisterCustomerInput }
  readonly startGuestCheckout: { readonly input: StartGuestCheckoutInput }
  readonly openGuestOrder: { readonly token: string }
  readonly refreshSession: { readonly refreshToken: string }
  readonly signOut: { readonly refreshToken: string; readonly everywhere?: boolean | null }
  readonly revokeSession: { readonly id: string }
  readonly requestUserPasswordReset: { readonly email: string }
  readonly requestCustomerPasswordReset: { readonly email: string }
  readonly resetPassword: { readonly token: string; readonly password: string }
  readonly changePassword: { readonly currentPassword: string; readonly newPassword: string }
  readonly requestEmailVerification: {}
  readonly verifyEmail: { readonly token: string }
  readonly enrollMfa: { readonly password: string }
  readonly confirmMfa: { readonly code: string }
  readonly disableMfa: { readonly password: string; readonly code: string }
  readonly resetUserMfa: { readonly id: string }
  readonly createCustomer: { readonly input: CustomerInput }
  readonly updateCustomer: { readonly id: string; readonly input: UpdateCustomerInput }
  readonly deleteCustomer: { readonly id: string }
  readonly anonymizeCustomer: { readonly id: string }
  readonly createContact: { readonly input: ContactInput }
  readonly updateContact: { readonly id: string; readonly input: UpdateContactInput }
  readonly deleteContact: { readonly id: string }
  readonly createInteraction: { readonly input: InteractionInput }
  readonly updateInteraction: { readonly id: string; readonly input: UpdateInteractionInput }
  readonly deleteInteraction: { readonly id: string }
  readonly createCustomerAddress: {
    readonly customerId: string
    readonly input: AddressInput
    readonly isDefault?: boolean | null
  }
  readonly updateCustomerAddress: {
    readonly id: string
    readonly input: UpdateAddressInput
    readonly isDefault?: boolean | null
  }
  readonly deleteCustomerAddress: { readonly id: string }
  readonly createCustomerSegment: { readonly input: CustomerSegmentInput }
  readonly updateCustomerSegment: { readonly id: string; readonly input: UpdateCustomerSegmentInput }
  readonly deleteCustomerSegment: { readonly id: string }
  readonly previewCustomerSegment: { readonly filter?: CustomerSegmentFilterInput | null }
  readonly updateLoyaltyProgram: { readonly input: UpdateLoyaltyProgramInput }
  readonly createLoyaltyTier: { readonly input: LoyaltyTierInput }
  readonly updateLoyaltyTier: { readonly id: string; readonly input: UpdateLoyaltyTierInput }
  readonly deleteLoyaltyTier: { readonly id: string }
  readonly createLoyaltyReward: { readonly input: LoyaltyRewardInput }
  readonly updateLoyaltyReward: { readonly id: string; readonly input: UpdateLoyaltyRewardInput }
  readonly deleteLoyaltyReward: { readonly id: string }
  readonly adjustLoyaltyPoints: { readonly input: AdjustLoyaltyPointsInput }
  readonly redeemLoyaltyReward: { readonly input: RedeemLoyaltyRewardInput }
  readonly createBookingService: { readonly input: CreateBookingServiceInput }
  readonly updateBookingService: { readonly id: string; readonly input: UpdateBookingServiceInput }
  readonly deleteBookingService: { readonly id: string }
  readonly createStaffMember: { readonly input: CreateStaffMemberInput }
  readonly updateStaffMember: { readonly id: string; readonly input: UpdateStaffMemberInput }
  readonly deleteStaffMember: { readonly id: string }
  readonly createResource: { readonly input: CreateResourceInput }
  readonly updateResource: { readonly id: string; readonly input: UpdateResourceInput }
  readonly deleteResource: { readonly id: string }
  readonly createSchedule: { readonly input: CreateScheduleInput }
  readonly updateSchedule: { readonly id: string; readonly input: UpdateScheduleInput }
  readonly deleteSchedule: { readonly id: string }
  readonly createAppointment: { readonly input: CreateAppointmentInput }
  readonly updateAppointment: { readonly id: string; readonly input: UpdateAppointmentInput }
  readonly rescheduleAppointment: { readonly id: string; readonly input: RescheduleAppointmentInput }
  readonly confirmAppointment: { readonly id: string }
  readonly startAppointment: { readonly id: string }
  readonly completeAppointment: { readonly id: string }
  readonly cancelAppointment: { readonly id: string }
  readonly markAppointmentNoShow: { readonly id: string }
  readonly processPayment: { readonly input: PaymentInput }
  readonly confirmPayment: { readonly id: string }
  readonly markPaymentReceived: { readonly id: string; readonly amount?: number | null }
  readonly recordPayment: { readonly input: RecordPaymentInput }
  readonly payAppointment: { readonly id: string; readonly input: AppointmentPaymentInput }
  readonly capturePayment: {
    readonly id: string
    readonly amount?: number | null
    readonly final?: boolean | null
  }
  readonly voidPayment: { readonly id: string }
  readonly refundPayment: { readonly id: string; readonly input: RefundPaymentInput }
  readonly retryRefund: { readonly id: string; readonly manually?: boolean | null }
  readonly refundOrder: { readonly id: string; readonly input: RefundOrderInput }
  readonly connectPaymentAccount: { readonly input: ConnectPaymentAccountInput }
  readonly updatePaymentAccount: { readonly id: string; readonly input: UpdatePaymentAccountInput }
  readonly savePaymentMethod: { readonly input: SavePaymentMethodInput }
  readonly confirmSavedPaymentMethod: { readonly id: string }
  readonly setDefaultPaymentMethod: { readonly id: string }
  readonly deleteSavedPaymentMethod: { readonly id: string }
  readonly createPaymentOption: { readonly input: CreatePaymentOptionInput }
  readonly updatePaymentOption: { readonly id: string; readonly input: UpdatePaymentOptionInput }
  readonly deletePaymentOption: { readonly id: string }
  readonly disablePaymentAccount: { readonly id: string }
  readonly refundReturn: { readonly id: string; readonly input: RefundReturnInput }
  readonly createPromotion: { readonly input: CreatePromotionInput }
  readonly updatePromotion: { readonly id: string; readonly input: UpdatePromotionInput }
  readonly deletePromotion: { readonly id: string }
  readonly createPromotionCampaign: { readonly input: CreatePromotionCampaignInput }
  readonly updatePromotionCampaign: { readonly id: string; readonly input: UpdatePromotionCampaignInput }
  readonly deletePromotionCampaign: { readonly id: string }
  readonly applyCoupon: { readonly cartId: string; readonly code: string }
  readonly removeCoupon: { readonly cartId: string }
  readonly createDashboard: { readonly input: CreateDashboardInput }
  readonly updateDashboard: { readonly id: string; readonly input: UpdateDashboardInput }
  readonly deleteDashboard: { readonly id: string }
  readonly recordProductView: { readonly productId: string }
  readonly createEmailTemplate: { readonly input: CreateEmailTemplateInput }
  readonly updateEmailTemplate: { readonly id: string; readonly input: UpdateEmailTemplateInput }
  readonly deleteEmailTemplate: { readonly id: string }
  readonly previewEmailTemplate: { readonly input: PreviewEmailTemplateInput }
  readonly previewEmailCampaign: { readonly input: PreviewEmailCampaignInput }
  readonly sendTestEmail: { readonly input: SendTestEmailInput }
  readonly createEmailCampaign: { readonly input: CreateEmailCampaignInput }
  readonly updateEmailCampaign: { readonly id: string; readonly input: UpdateEmailCampaignInput }
  readonly deleteEmailCampaign: { readonly id: string }
  readonly scheduleEmailCampaign: { readonly id: string; readonly scheduledAt?: string | null }
  readonly pauseEmailCampaign: { readonly id: string }
  readonly resumeEmailCampaign: { readonly id: string }
  readonly cancelEmailCampaign: { readonly id: string }
  readonly setEmailLink: { readonly input: SetEmailLinkInput }
  readonly retryEmailDelivery: { readonly id: string }
  readonly markNotificationRead: { readonly id: string }
  readonly markAllNotificationsRead: {}
  readonly registerNotificationDevice: { readonly input: NotificationDeviceInput }
  readonly deleteNotificationDevice: { readonly id: string }
  readonly setNotificationPreference: { readonly input: NotificationPreferenceInput }
  readonly createArticle: { readonly input: CreateArticleInput }
  readonly updateArticle: { readonly id: string; readonly input: UpdateArticleInput }
  readonly deleteArticle: { readonly id: string }
  readonly createFileUpload: { readonly input: CreateFileUploadInput }
  readonly completeFileUpload: { readonly id: string }
  readonly createFileDownload: { readonly id: string }
  readonly deleteFile: { readonly id: string }
  readonly createMerchant: { readonly input: CreateMerchantInput }
  readonly suspendMerchant: { readonly merchantId: string; readonly reason?: string | null }
  readonly reinstateMerchant: { readonly merchantId: string }
  readonly confirmMerchantExport: { readonly merchantId: string }
  readonly closeMerchant: {
    readonly merchantId: string
    readonly reason?: string | null
    readonly deleteAfterDays?: number | null
  }
  readonly confirmPlanRequest: {
    readonly merchantId: string
    readonly plan: 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE'
  }
  readonly declinePlanRequest: {
    readonly merchantId: string
    readonly plan: 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE'
  }
  readonly setMerchantPlan: {
    readonly merchantId: string
    readonly plan: 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE'
  }
  readonly setBillingStatus: { readonly merchantId: string; readonly status: 'PAID' | 'PAST_DUE' | 'UNPAID' }
  readonly updateMerchantAccount: {
    readonly input: UpdateMerchantAccountInput
    readonly confirmLockout?: boolean | null
  }
  readonly updateMerchantSettings: { readonly input: UpdateMerchantSettingsInput }
  readonly createShippingZone: { readonly input: CreateShippingZoneInput }
  readonly updateShippingZone: { readonly id: string; readonly input: UpdateShippingZoneInput }
  readonly deleteShippingZone: { readonly id: string }
  readonly createShippingMethod: { readonly shippingZoneId: string; readonly input: ShippingMethodInput }
  readonly updateShippingMethod: { readonly id: string; readonly input: UpdateShippingMethodInput }
  readonly deleteShippingMethod: { readonly id: string }
  readonly createApiKey: { readonly input: CreateApiKeyInput }
  readonly createPublishableKey: { readonly input: CreatePublishableKeyInput }
  readonly setPublishableKeyOrigins: { readonly id: string; readonly origins: readonly string[] }
  readonly setPublishableKeyMaxAge: { readonly id: string; readonly maxAge: number }
  readonly rotateApiKey: { readonly id: string; readonly overlapSeconds?: number | null }
  readonly changePlan: { readonly plan: 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE' }
  readonly cancelSubscription: {}
  readonly resumeSubscription: {}
  readonly revokeApiKey: { readonly id: string }
  readonly setEmailSender: { readonly input: SetEmailSenderInput }
  readonly checkEmailSender: {}
  readonly addIPWhitelist: { readonly ip: string; readonly description?: string | null }
  readonly removeIPWhitelist: { readonly id: string; readonly confirmLockout?: boolean | null }
  readonly createImport: { readonly input: CreateImportInput }
  readonly startImport: { readonly id: string }
  readonly cancelImport: { readonly id: string }
  readonly createExport: { readonly input: CreateExportInput }
  readonly exportCustomerData: { readonly customerId: string }
  readonly cancelExport: { readonly id: string }
  readonly createWebhookEndpoint: { readonly input: CreateWebhookEndpointInput }
  readonly updateWebhookEndpoint: { readonly id: string; readonly input: UpdateWebhookEndpointInput }
  readonly deleteWebhookEndpoint: { readonly id: string }
  readonly rotateWebhookSecret: { readonly id: string; readonly overlapSeconds?: number | null }
  readonly sendTestWebhook: { readonly id: string; readonly topic?: string | null }
  readonly replayWebhookDeliveries: { readonly input: ReplayWebhookDeliveriesInput }
  readonly createMetadataDefinition: { readonly input: CreateMetadataDefinitionInput }
  readonly updateMetadataDefinition: { readonly id: string; readonly input: UpdateMetadataDefinitionInput }
  readonly deleteMetadataDefinition: { readonly id: string }
  readonly retryDeadLetters: { readonly ids: readonly string[] }
  readonly dropDeadLetters: { readonly ids: readonly string[] }
}
