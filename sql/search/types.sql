CREATE TYPE search.scope AS (merchant_id uuid, public_only boolean, products boolean, articles boolean);
