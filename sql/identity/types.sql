CREATE TYPE identity.attempt_limit AS (free integer, block interval);
