CREATE SCHEMA promotion;

CREATE TABLE promotion.promotion (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  code citext,
  discount_type text NOT NULL CHECK (discount_type IN ('PERCENTAGE', 'FIXED_AMOUNT', 'FREE_SHIPPING')),
  -- Percent for PERCENTAGE, minor units for FIXED_AMOUNT, without meaning for FREE_SHIPPING.
  discount_value integer NOT NULL,
  start_date timestamptz NOT NULL,
  end_date timestamptz NOT NULL,
  disabled boolean NOT NULL DEFAULT FALSE,
  usage_count integer NOT NULL DEFAULT 0,
  usage_limit integer CHECK (usage_limit > 0),
  min_purchase_amount bigint CHECK (min_purchase_amount >= 0),
  max_discount_amount bigint CHECK (max_discount_amount > 0),
  product_ids uuid[],
  category_ids uuid[],
  customer_ids uuid[],
  first_order_only boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  campaign_id uuid,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT promotion_discount_value_range
    CHECK (
      CASE discount_type
        WHEN 'PERCENTAGE' THEN discount_value BETWEEN 1 AND 100
        WHEN 'FIXED_AMOUNT' THEN discount_value >= 1
        ELSE discount_value >= 0
      END
    ),
  CONSTRAINT promotion_code_key UNIQUE (merchant_id, code),
  CONSTRAINT promotion_period CHECK (start_date < end_date),
  CONSTRAINT promotion_usage_within_limit
    CHECK (usage_count >= 0 AND (usage_limit IS NULL OR usage_count <= usage_limit)),
  CONSTRAINT promotion_campaign_fkey
    FOREIGN KEY (merchant_id, campaign_id) REFERENCES promotion.campaign
      ON DELETE SET NULL (campaign_id),
  -- An empty list would be a promotion that no product and no customer meets; NULL means all of them.
  CONSTRAINT promotion_product_ids_some CHECK (cardinality(product_ids) > 0),
  CONSTRAINT promotion_category_ids_some CHECK (cardinality(category_ids) > 0),
  CONSTRAINT promotion_customer_ids_some CHECK (cardinality(customer_ids) > 0)
);

CREATE TABLE promotion.campaign (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT campaign_name_key UNIQUE (merchant_id, name)
);
CREATE INDEX campaign_created_at ON promotion.campaign (merchant_id, created_at, id);
CREATE INDEX promotion_created_at ON promotion.promotion (merchant_id, created_at, id);
CREATE INDEX promotion_campaign ON promotion.promotion (merchant_id, campaign_id, created_at, id);
CREATE INDEX promotion_automatic ON promotion.promotion (merchant_id, end_date) WHERE code IS NULL AND NOT disabled;
CREATE INDEX promotion_updated_at ON promotion.promotion (merchant_id, updated_at, id);
CREATE INDEX campaign_updated_at ON promotion.campaign (merchant_id, updated_at, id);
