/**
 * Values that look wrong but are valid in these places, each with the reason. If you add a field for which zero, a
 * negative number or another odd value is valid, add it here.
 */
export const acceptedInputs: readonly { readonly because: string; readonly places: readonly string[] }[] = [
  {
    because: 'something may cost nothing',
    places: [
      'checkoutCart input.expectedTotal zero',
      'createProduct input.costPerItem zero',
      'updateProduct input.costPerItem zero',
      'createProducts inputs.0.costPerItem zero',
      'updateProducts inputs.0.costPerItem zero',
      'createBookingService input.price zero',
      'updateBookingService input.price zero',
      'createShippingMethod input.price zero',
      'updateShippingMethod input.price zero',
    ],
  },
  {
    because: 'a segment may be of customers who have bought nothing',
    places: [
      'previewCustomerSegment filter.totalSpentMin zero',
      'previewCustomerSegment filter.totalSpentMax zero',
      'previewCustomerSegment filter.orderCountMin zero',
      'previewCustomerSegment filter.orderCountMax zero',
    ],
  },
  {
    because: 'positions and priorities start at zero',
    places: [
      'createCategory input.position zero',
      'updateCategory input.position zero',
      'createWarehouse input.priority zero',
      'updateWarehouse input.priority zero',
      'createResource input.priority zero',
      'updateResource input.priority zero',
      'createStaffMember input.priority zero',
      'updateStaffMember input.priority zero',
      'createDashboard input.position zero',
      'updateDashboard input.position zero',
      'createPaymentOption input.position zero',
      'updatePaymentOption input.position zero',
    ],
  },
  {
    because: 'a method of payment may be offered from any total on',
    places: ['createPaymentOption input.minAmount zero', 'updatePaymentOption input.minAmount zero'],
  },
  {
    because: 'missing an appointment may cost nothing, and it may be cancelled until it begins',
    places: [
      'createBookingService input.noShowFee zero',
      'updateBookingService input.noShowFee zero',
      'createBookingService input.cancellationMinutes zero',
      'updateBookingService input.cancellationMinutes zero',
    ],
  },
  {
    because: 'a publishable key may have no origin, and then works only from loopback in a test deployment',
    places: ['setPublishableKeyOrigins origins empty'],
  },
  { because: 'caches may keep an answer for no time', places: ['setPublishableKeyMaxAge maxAge zero'] },
  {
    because: 'the first tier may include every customer, and a reward may apply to any purchase',
    places: [
      'createLoyaltyTier input.threshold zero',
      'updateLoyaltyTier input.threshold zero',
      'createLoyaltyReward input.minPurchaseAmount zero',
      'updateLoyaltyReward input.minPurchaseAmount zero',
    ],
  },
  {
    because: 'the smallest value of a number may be below zero',
    places: [
      'createMetadataDefinition input.min negative',
      'createMetadataDefinition input.min zero',
      'updateMetadataDefinition input.min negative',
      'updateMetadataDefinition input.min zero',
    ],
  },
  { because: 'points are taken as well as given', places: ['adjustLoyaltyPoints input.points negative'] },
  {
    because: 'a key or secret that leaked ends at once',
    places: ['rotateApiKey overlapSeconds zero', 'rotateWebhookSecret overlapSeconds zero'],
  },
  { because: 'a shelf may be empty', places: ['setInventoryLevel input.available zero'] },
  {
    because: 'stock may be low only when there is none',
    places: [
      'setLowStockThreshold input.threshold zero',
      'updateMerchantSettings input.lowStockThreshold zero',
    ],
  },
  {
    because: 'stock goes down, too',
    places: ['adjustInventory input.delta negative', 'adjustInventory input.delta zero'],
  },
  { because: 'a line with no units is removed', places: ['updateCartItem quantity zero'] },
  { because: 'there are places without a tax', places: ['updateMerchantSettings input.taxRate zero'] },
  {
    because: 'a guest cart that is gone, or was never there, does not stop a customer from signing in',
    places: [
      'signInCustomer input.cartId malformed',
      'signInCustomer input.cartId foreign',
      'registerCustomer input.cartId malformed',
      'registerCustomer input.cartId foreign',
    ],
  },
]
