/**
 * Values that look like a fault and are none in these places, each with the reason. Whoever adds a field whose zero,
 * negative or other odd value means something adds it here.
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
    because: 'positions and priorities start at zero',
    places: [
      'createCategory input.position zero',
      'updateCategory input.position zero',
      'createWarehouse input.priority zero',
      'updateWarehouse input.priority zero',
      'createStaffMember input.priority zero',
      'updateStaffMember input.priority zero',
      'createDashboard input.position zero',
      'updateDashboard input.position zero',
    ],
  },
  {
    because: 'the first tier may be everybody’s, and a reward good for any purchase',
    places: [
      'createLoyaltyTier input.threshold zero',
      'updateLoyaltyTier input.threshold zero',
      'createLoyaltyReward input.minPurchaseAmount zero',
      'updateLoyaltyReward input.minPurchaseAmount zero',
    ],
  },
  { because: 'points are taken as well as given', places: ['adjustLoyaltyPoints input.points negative'] },
  { because: 'a key that leaked ends at once', places: ['rotateApiKey overlapSeconds zero'] },
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
    because: 'a guest cart that is gone, or was never there, keeps nobody from signing in',
    places: [
      'signInCustomer input.cartId malformed',
      'signInCustomer input.cartId foreign',
      'registerCustomer input.cartId malformed',
      'registerCustomer input.cartId foreign',
    ],
  },
]
