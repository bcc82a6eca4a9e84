import type { Violation } from '@commerce-graph/data-layer'
import {
  alreadyExists,
  invalidValue,
  metadataError,
  notFound,
  type UserError,
} from '@commerce-graph/contract/input'

/** The meaning of a violated constraint for the client: the field of the input at fault, and the reason. */
type Meaning =
  /** The value is taken. */
  | { readonly kind: 'unique'; readonly field: string }
  /** No record has the id in the field; or the record to delete is still referenced. */
  | { readonly kind: 'reference'; readonly field: string; readonly what: string; readonly inUse?: string }
  /** The value can't be stored. The input rules are stricter and speak first. */
  | { readonly kind: 'value'; readonly field: string; readonly message?: string }

const unique = (field: string): Meaning => ({ kind: 'unique', field })
const reference = (field: string, what: string, inUse?: string): Meaning => ({
  kind: 'reference',
  field,
  what,
  ...(inUse !== undefined && { inUse }),
})
const value = (field: string, message?: string): Meaning => ({
  kind: 'value',
  field,
  ...(message !== undefined && { message }),
})

const locksCallerOut =
  'You could not get in any more from the address that you call from: add it first, or say confirmLockout: true'

/**
 * Every constraint that a row mutation of the contract can violate, by its name in the migrations. A test reads the
 * names from a migrated database and fails for one that isn't here (constraints.test.ts).
 */
export const constraints: Readonly<Record<string, Meaning>> = {
  // every record with an id in another system
  product_external_id_key: unique('externalId'),
  product_external_id_check: value('externalId'),
  product_variant_external_id_key: unique('externalId'),
  product_variant_external_id_check: value('externalId'),
  category_external_id_key: unique('externalId'),
  category_external_id_check: value('externalId'),
  customer_external_id_key: unique('externalId'),
  customer_external_id_check: value('externalId'),
  order_external_id_key: unique('externalId'),
  order_external_id_check: value('externalId'),
  cart_external_id_key: unique('externalId'),
  cart_external_id_check: value('externalId'),
  warehouse_external_id_key: unique('externalId'),
  warehouse_external_id_check: value('externalId'),
  appointment_external_id_key: unique('externalId'),
  appointment_external_id_check: value('externalId'),
  // metadata
  definition_key: unique('key'),
  definition_owner_type_check: value('ownerType'),
  definition_namespace_check: value('namespace'),
  definition_key_check: value('key'),
  definition_type_check: value('type'),
  definition_name_check: value('name'),
  definition_choices_check: value('choices'),
  definition_choices_of_texts: value('choices', 'Only a TEXT and a LIST_OF_TEXT have choices'),
  definition_measured: value(
    'min',
    'Only a TEXT, an INTEGER, a DECIMAL and a LIST_OF_TEXT have a smallest and a largest value',
  ),
  definition_range: value('max', 'The largest value is below the smallest'),
  definition_attribute: value(
    'isAttribute',
    'Only public keys of products and variants are attributes, and none of the type JSON',
  ),
  definition_number: value('ownerType', 'There are 200 definitions for this type of owner already'),
  // catalog
  product_sku_key: unique('sku'),
  product_variant_sku_key: unique('sku'),
  stock_item_sku_key: unique('sku'),
  product_slug_key: unique('slug'),
  category_slug_key: unique('slug'),
  product_name_check: value('name'),
  product_sku_check: value('sku'),
  product_price_check: value('price'),
  product_currency_check: value('currency'),
  product_compare_at_price_check: value('compareAtPrice'),
  product_cost_per_item_check: value('costPerItem'),
  product_status_check: value('status'),
  product_image_url_check: value('images'),
  product_image_width_check: value('images'),
  product_image_height_check: value('images'),
  product_image_file_fkey: value('images', 'The image at one of the addresses was deleted'),
  product_image_merchant_id_product_id_fkey: reference('id', 'Product'),
  product_category_product_fkey: reference('id', 'Product'),
  product_category_category_fkey: reference('categoryIds', 'Category'),
  product_variant_merchant_id_product_id_fkey: reference('productId', 'Product'),
  product_variant_sku_check: value('sku'),
  product_variant_options_key: value('options', 'Another variant of the product has the same options'),
  product_variant_options_needed: value(
    'options',
    'Each variant needs options where a product has several: give them to all of them',
  ),
  product_variant_price_check: value('price'),
  product_variant_compare_at_price_check: value('compareAtPrice'),
  variant_option_pkey: value('options', 'An option is named twice'),
  variant_option_name_check: value('options'),
  variant_option_value_check: value('options'),
  variant_option_merchant_id_variant_id_fkey: reference('id', 'Variant'),
  category_name_check: value('name'),
  category_image_url_check: value('image.url'),
  category_image_file_fkey: value('image.url', 'The image at this address was deleted'),
  category_parent_fkey: reference('parentId', 'Category', 'The category has subcategories'),
  category_no_cycle: value('parentId', 'A category can not be its own ancestor'),
  category_depth: value('parentId', 'Categories nest at most 10 levels deep'),
  review_author_name_check: value('authorName'),
  review_rating_check: value('rating'),
  review_status_check: value('status'),
  review_merchant_id_product_id_fkey: reference('productId', 'Product'),
  review_merchant_id_customer_id_fkey: reference('customerId', 'Customer'),
  // crm
  customer_email_key: unique('email'),
  customer_name_check: value('name'),
  address_recipient_name_check: value('recipientName'),
  address_company_check: value('company'),
  address_line1_check: value('line1'),
  address_city_check: value('city'),
  address_country_check: value('country'),
  address_one_default: value('isDefault', 'Another address was made the default at the same time'),
  address_merchant_id_customer_id_fkey: reference('customerId', 'Customer'),
  order_merchant_id_customer_id_fkey: reference('customerId', 'Customer', 'The customer has orders'),
  address_needs_default: value('isDefault', 'Make another address the default instead'),
  contact_name_check: value('name'),
  contact_customer_fkey: reference('customerId', 'Customer'),
  interaction_type_check: value('type'),
  interaction_subject_check: value('subject'),
  interaction_author_check: value('author'),
  interaction_customer_fkey: reference('customerId', 'Customer'),
  interaction_contact_fkey: reference('contactId', 'Contact of the customer'),
  segment_name_key: unique('name'),
  segment_name_check: value('name'),
  segment_total_spent_min_check: value('filter.totalSpentMin'),
  segment_total_spent_max_check: value('filter.totalSpentMax'),
  segment_order_count_min_check: value('filter.orderCountMin'),
  segment_order_count_max_check: value('filter.orderCountMax'),
  segment_last_order_within_days_check: value('filter.lastOrderWithinDays'),
  segment_no_order_for_days_check: value('filter.noOrderForDays'),
  segment_tags_some: value('filter.tags'),
  segment_cities_some: value('filter.cities'),
  segment_countries_some: value('filter.countries'),
  segment_countries_codes: value('filter.countries'),
  segment_total_spent_range: value('filter.totalSpentMax'),
  segment_order_count_range: value('filter.orderCountMax'),
  segment_last_order_range: value('filter.lastOrderBefore'),
  segment_created_range: value('filter.createdBefore'),
  segment_loyalty_tiers_some: value('filter.loyaltyTierIds'),
  segment_loyalty_tiers_exist: value('filter.loyaltyTierIds', 'A loyalty tier does not exist'),
  loyalty_program_earn_points_check: value('earnPoints'),
  loyalty_program_earn_amount_check: value('earnAmount'),
  loyalty_program_points_expire_after_days_check: value('pointsExpireAfterDays'),
  loyalty_program_point_value_check: value('pointValue'),
  loyalty_program_tier_basis_check: value('tierBasis'),
  loyalty_tier_name_key: unique('name'),
  loyalty_tier_threshold_key: unique('threshold'),
  loyalty_tier_name_check: value('name'),
  loyalty_tier_threshold_check: value('threshold'),
  loyalty_reward_name_key: unique('name'),
  loyalty_reward_name_check: value('name'),
  loyalty_reward_points_check: value('points'),
  loyalty_reward_discount_amount_check: value('discountAmount'),
  loyalty_reward_min_purchase_amount_check: value('minPurchaseAmount'),
  loyalty_reward_valid_days_check: value('validDays'),
  // booking
  service_name_check: value('name'),
  service_duration_check: value('duration'),
  service_price_check: value('price'),
  service_payment_policy_check: value('paymentPolicy'),
  service_deposit_amount_check: value('depositAmount'),
  service_deposit_percent_check: value('depositPercent'),
  service_deposit_check: value(
    'paymentPolicy',
    'A service with a deposit has either depositAmount or depositPercent, and not both',
  ),
  service_no_show_fee_check: value('noShowFee'),
  service_cancellation_minutes_check: value('cancellationMinutes'),
  service_currency_check: value('currency'),
  staff_member_email_key: unique('email'),
  staff_member_name_check: value('name'),
  staff_member_priority_check: value('priority'),
  staff_member_time_zone_check: value('timeZone', 'There is no such time zone'),
  staff_service_staff_fkey: reference('id', 'Staff member'),
  staff_service_service_fkey: reference('serviceIds', 'Service'),
  resource_name_check: value('name'),
  resource_kind_check: value('kind'),
  resource_priority_check: value('priority'),
  resource_requirement_pkey: value('resources', 'A kind is named twice'),
  resource_requirement_kind_check: value('resources'),
  resource_requirement_quantity_check: value('resources'),
  resource_requirement_service_fkey: reference('id', 'Service'),
  appointment_resource_resource_fkey: reference('resourceId', 'Resource', 'There are appointments with it'),
  schedule_staff_fkey: reference('staffId', 'Staff member'),
  schedule_type_check: value('type'),
  schedule_weekday_check: value('weekday'),
  schedule_start_time_check: value('startTime'),
  schedule_end_time_check: value('endTime'),
  schedule_weekday_of_weekly_hours: value('weekday', 'Weekly hours have a weekday, and nothing else does'),
  schedule_date_of_exception: value('startDate', 'Time off and extra hours need a date'),
  schedule_dates_in_order: value('endDate', 'The last day is before the first'),
  schedule_times_in_order: value(
    'endTime',
    'Hours end after they start; over midnight, they are two entries',
  ),
  appointment_service_fkey: reference('serviceId', 'Service', 'There are appointments for it'),
  appointment_staff_fkey: reference('staffId', 'Staff member', 'There are appointments with them'),
  appointment_customer_fkey: reference('customerId', 'Customer', 'The customer has appointments'),
  // analytics
  dashboard_name_key: unique('name'),
  dashboard_name_check: value('name'),
  dashboard_position_check: value('position'),
  widget_title_check: value('widgets'),
  widget_position_check: value('widgets', 'A dashboard has at most 20 widgets'),
  widget_position_key: value('widgets', 'The widgets were changed at the same time'),
  widget_currency_check: value('widgets'),
  widget_question: value('widgets', 'A widget asks for what no report tells'),
  widget_dashboard_fkey: reference('id', 'Dashboard'),
  // cart
  order_merchant_id_cart_id_fkey: reference('cartId', 'Cart', 'The cart has become an order'),
  // inventory
  warehouse_code_key: unique('code'),
  warehouse_name_check: value('name'),
  warehouse_code_check: value('code'),
  warehouse_address_recipient_name_check: value('location.recipientName'),
  warehouse_address_company_check: value('location.company'),
  warehouse_address_line1_check: value('location.line1'),
  warehouse_address_city_check: value('location.city'),
  warehouse_address_country_check: value('location.country'),
  warehouse_address_merchant_id_warehouse_id_fkey: reference('id', 'Warehouse'),
  stock_level_warehouse_fkey: reference('warehouseId', 'Warehouse', 'The warehouse has stock levels'),
  transfer_from_warehouse_fkey: reference('warehouseId', 'Warehouse', 'There are transfers from it'),
  transfer_to_warehouse_fkey: reference('warehouseId', 'Warehouse', 'There are transfers to it'),
  incoming_stock_warehouse_fkey: reference('warehouseId', 'Warehouse', 'The warehouse expects stock'),
  // promotions
  promotion_code_key: unique('code'),
  promotion_name_check: value('name'),
  promotion_discount_type_check: value('discountType'),
  promotion_discount_value_range: value('discountValue', 'A percentage is 1 to 100, an amount at least 1'),
  promotion_period: value('endDate', 'The end must be after the start'),
  promotion_usage_limit_check: value('usageLimit'),
  promotion_usage_within_limit: value('usageLimit', 'The promotion was used more often already'),
  promotion_min_purchase_amount_check: value('conditions.minPurchaseAmount'),
  promotion_max_discount_amount_check: value('conditions.maxDiscountAmount'),
  promotion_product_ids_some: value('conditions.productIds'),
  promotion_category_ids_some: value('conditions.categoryIds'),
  promotion_customer_ids_some: value('conditions.customerIds'),
  promotion_automatic_limit: value(
    'code',
    'At most 50 promotions without a code can be switched on at a time: give it one, or disable or end another',
  ),
  promotion_products_exist: value('conditions.productIds', 'A product does not exist'),
  promotion_categories_exist: value('conditions.categoryIds', 'A category does not exist'),
  promotion_customers_exist: value('conditions.customerIds', 'A customer does not exist'),
  promotion_campaign_fkey: reference('campaignId', 'Campaign'),
  order_merchant_id_promotion_id_fkey: reference(
    'promotionId',
    'Promotion',
    'Orders were placed with it; disable it instead',
  ),
  campaign_name_key: unique('name'),
  campaign_name_check: value('name'),
  // email
  delivery_campaign_fkey: reference(
    'id',
    'Campaign',
    'Messages were written for it; it stays as their record',
  ),
  campaign_segment_fkey: reference('segmentId', 'Segment', 'Campaigns were or are to be sent to it'),
  // search
  article_slug_key: unique('slug'),
  article_name_check: value('title'),
  article_status_check: value('status'),
  // merchant
  merchant_name_check: value('name'),
  merchant_country_check: value('country'),
  settings_currency_check: value('currency'),
  settings_stock_visibility_check: value('stockVisibility'),
  settings_stock_visibility_bound_check: value('stockVisibilityBound'),
  settings_tax_rate_check: value('taxRate'),
  settings_low_stock_threshold_check: value('lowStockThreshold'),
  settings_card_payment_minutes_check: value('cardPaymentMinutes'),
  settings_bank_transfer_payment_minutes_check: value('bankTransferPaymentMinutes'),
  settings_cash_payment_minutes_check: value('cashPaymentMinutes'),
  settings_max_unpaid_orders_check: value('maxUnpaidOrders'),
  settings_max_unpaid_units_check: value('maxUnpaidUnits'),
  settings_search_synonyms_check: value(
    'searchSynonyms',
    'Each entry has at least two texts with commas between them: sofa, couch',
  ),
  settings_search_stop_words_check: value('searchStopWords', 'Each entry is one word'),
  settings_language_fkey: value('language', 'There is no such language here'),
  settings_timezone_check: value('timezone', 'There is no such time zone'),
  shipping_zone_name_check: value('name'),
  shipping_zone_countries_check: value('countries'),
  shipping_method_name_check: value('name'),
  shipping_method_price_check: value('price'),
  shipping_method_merchant_id_shipping_zone_id_fkey: reference('shippingZoneId', 'Shipping zone'),
  order_merchant_id_shipping_method_id_fkey: reference(
    'shippingMethodId',
    'Shipping method',
    'There are orders with it',
  ),
  payment_option_method_key: unique('method'),
  payment_option_method_check: value('method'),
  payment_option_name_check: value('name'),
  payment_option_instructions_check: value('instructions'),
  payment_option_position_check: value('position'),
  payment_option_currencies_check: value('currencies'),
  payment_option_countries_check: value('countries'),
  payment_option_min_amount_check: value('minAmount'),
  payment_option_max_amount_check: value('maxAmount'),
  payment_option_amounts_check: value('maxAmount', 'The largest total is below the smallest'),
  payment_option_payment_minutes_check: value('paymentMinutes'),
  ip_allow_list_entry_network_key: unique('ip'),
  ip_allow_list_entry_not_last: value(
    'id',
    'All callers would be locked out: switch the allow-list off before you remove its last entry',
  ),
  settings_mfa_own: value(
    'mfaRequired',
    'You would lose your own permissions: set up an authenticator with enrollMfa first',
  ),
  merchant_allow_list_caller: value('ipWhitelistEnabled', locksCallerOut),
  ip_allow_list_entry_caller: value('id', locksCallerOut),
  merchant_allow_list_some: value(
    'ipWhitelistEnabled',
    'All callers would be locked out: add an address first',
  ),
}

/**
 * The violation of a constraint as a client's error; null when the constraint is none that a client can do anything about.
 *
 * @param input the mutation's input, to quote the value that was refused
 */
export function violationError(
  { constraint, stillReferenced, detail }: Violation,
  input: Readonly<Record<string, unknown>>,
): UserError | null {
  const ofMetadata = metadataError({ constraint, detail })
  if (ofMetadata !== null) return ofMetadata
  const meaning = constraints[constraint]
  if (!meaning) return null
  const given = input[meaning.field]
  switch (meaning.kind) {
    case 'unique':
      return alreadyExists(
        meaning.field,
        typeof given === 'string' || typeof given === 'number' ? String(given) : '',
      )
    case 'reference':
      if (stillReferenced) return invalidValue('id', meaning.inUse ?? `The record is still in use`)
      return notFound(meaning.field, meaning.what, typeof given === 'string' ? given : '')
    case 'value':
      return invalidValue(meaning.field, meaning.message ?? `The value of ${meaning.field} can not be stored`)
  }
}
