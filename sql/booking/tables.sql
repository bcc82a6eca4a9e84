CREATE SCHEMA booking;

CREATE TABLE booking.service (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  -- Minutes.
  duration integer NOT NULL CHECK (duration BETWEEN 1 AND 1440),
  price bigint NOT NULL CHECK (price >= 0 AND price < 9007199254740992),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  active boolean NOT NULL DEFAULT TRUE,
  -- The part of the price to pay before an appointment is certain.
  payment_policy text NOT NULL DEFAULT 'NONE' CHECK (payment_policy IN ('NONE', 'DEPOSIT', 'FULL')),
  -- A deposit is an amount or a share of the price, in percent.
  deposit_amount bigint CHECK (deposit_amount BETWEEN 1 AND 9007199254740991),
  deposit_percent integer CHECK (deposit_percent BETWEEN 1 AND 100),
  -- The charge for a missed appointment or a late cancellation. NULL: the amount that had to be paid before.
  no_show_fee bigint CHECK (no_show_fee BETWEEN 0 AND 9007199254740991),
  -- Minutes before its start until which a customer cancels without the fee.
  cancellation_minutes integer NOT NULL DEFAULT 0 CHECK (cancellation_minutes BETWEEN 0 AND 525600),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT service_deposit_check
    CHECK (
      num_nonnulls(deposit_amount, deposit_percent) <= 1
      AND (payment_policy <> 'DEPOSIT' OR num_nonnulls(deposit_amount, deposit_percent) = 1)
    )
);
CREATE INDEX service_name ON booking.service (merchant_id, name, id);
CREATE INDEX service_created_at ON booking.service (merchant_id, created_at, id);

CREATE TABLE booking.staff_member (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  email citext NOT NULL,
  phone text,
  -- The schedule's time zone; NULL is the merchant's.
  time_zone text CONSTRAINT staff_member_time_zone_check CHECK (platform.is_time_zone(time_zone)),
  active boolean NOT NULL DEFAULT TRUE,
  -- Which staff member gets an appointment that names none: the lowest number first.
  priority integer NOT NULL DEFAULT 0 CHECK (priority >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT staff_member_email_key UNIQUE (merchant_id, email)
);
CREATE INDEX staff_member_name ON booking.staff_member (merchant_id, name, id);
CREATE INDEX staff_member_created_at ON booking.staff_member (merchant_id, created_at, id);

CREATE TABLE booking.staff_service (
  merchant_id uuid NOT NULL,
  staff_id uuid NOT NULL,
  service_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, staff_id, service_id),
  CONSTRAINT staff_service_staff_fkey
    FOREIGN KEY (merchant_id, staff_id) REFERENCES booking.staff_member
      ON DELETE CASCADE,
  CONSTRAINT staff_service_service_fkey
    FOREIGN KEY (merchant_id, service_id) REFERENCES booking.service
      ON DELETE CASCADE
);
CREATE INDEX staff_service_service ON booking.staff_service (merchant_id, service_id);

CREATE TABLE booking.resource (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  -- The merchant's own word for what can stand in for each other: 'treatment room', 'chair', 'laser'.
  kind citext NOT NULL CHECK (kind <> ''),
  -- FALSE: archived. New and moved appointments don't get it.
  active boolean NOT NULL DEFAULT TRUE,
  -- Which free resource of the kind an appointment gets: the lowest number first.
  priority integer NOT NULL DEFAULT 0 CHECK (priority >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX resource_name ON booking.resource (merchant_id, name, id);
CREATE INDEX resource_kind ON booking.resource (merchant_id, kind, priority, id);

CREATE TABLE booking.resource_requirement (
  merchant_id uuid NOT NULL,
  service_id uuid NOT NULL,
  kind citext NOT NULL CHECK (kind <> ''),
  quantity integer NOT NULL DEFAULT 1 CHECK (quantity BETWEEN 1 AND 20),
  PRIMARY KEY (merchant_id, service_id, kind),
  CONSTRAINT resource_requirement_service_fkey
    FOREIGN KEY (merchant_id, service_id) REFERENCES booking.service
      ON DELETE CASCADE
);

CREATE TABLE booking.schedule (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  staff_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('WEEKLY', 'TIME_OFF', 'EXTRA_HOURS')),
  weekday text CHECK (weekday IN ('MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY')),
  -- The first and the last day that it holds. Weekly hours without them hold always; the others hold on the one day of
  -- start_date when no last day is said.
  start_date date,
  end_date date,
  -- HH:MM, so that they compare as texts. A day goes from 00:00 to 24:00.
  start_time text NOT NULL DEFAULT '00:00' CHECK (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  end_time text NOT NULL DEFAULT '24:00' CHECK (end_time ~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT schedule_staff_fkey
    FOREIGN KEY (merchant_id, staff_id) REFERENCES booking.staff_member
      ON DELETE CASCADE,
  CONSTRAINT schedule_weekday_of_weekly_hours CHECK ((type = 'WEEKLY') = (weekday IS NOT NULL)),
  CONSTRAINT schedule_date_of_exception CHECK (type = 'WEEKLY' OR start_date IS NOT NULL),
  CONSTRAINT schedule_dates_in_order CHECK (start_date <= end_date),
  CONSTRAINT schedule_times_in_order CHECK (start_time COLLATE "C" < end_time COLLATE "C")
);
CREATE INDEX schedule_staff ON booking.schedule (merchant_id, staff_id);

CREATE TABLE booking.appointment (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  service_id uuid NOT NULL,
  staff_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  -- Minutes; the service's at the time of booking, whatever becomes of the service.
  duration integer NOT NULL GENERATED ALWAYS AS ((EXTRACT(EPOCH FROM end_time - start_time) / 60)::integer) STORED,
  status text NOT NULL DEFAULT 'SCHEDULED' CHECK (
    status IN ('SCHEDULED', 'CONFIRMED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED', 'NO_SHOW')
  ),
  -- A cancelled or missed appointment leaves its time, staff member and resources free.
  takes_time boolean NOT NULL GENERATED ALWAYS AS (status NOT IN ('CANCELLED', 'NO_SHOW')) STORED,
  notes text,
  -- Booked by booking.book, so that its customer is notified. A row that comes complete, as one of an import does,
  -- notifies no customer.
  booked_here boolean NOT NULL DEFAULT FALSE,
  -- The service's terms at the time of booking, whatever becomes of the service (booking.fill_terms).
  price bigint NOT NULL CHECK (price >= 0),
  currency text NOT NULL,
  prepayment bigint NOT NULL DEFAULT 0,
  no_show_fee bigint NOT NULL DEFAULT 0,
  cancellation_minutes integer NOT NULL DEFAULT 0,
  -- Until when its time is kept for the prepayment. NULL: it is certain, or over.
  payment_due_at timestamptz,
  -- Cancelled because it wasn't paid in time.
  lapsed boolean NOT NULL DEFAULT FALSE,
  -- The charge for a late cancellation or a missed appointment, once it is one.
  fee bigint NOT NULL DEFAULT 0,
  -- The sum of its payments less their refunds (payment.follow_payments_of_appointment).
  paid_amount bigint NOT NULL DEFAULT 0 CHECK (paid_amount >= 0),
  -- The amount that can still be paid.
  amount_due bigint NOT NULL GENERATED ALWAYS AS (
    greatest(
      0,
      CASE
        WHEN status IN ('CANCELLED', 'NO_SHOW') THEN fee
        ELSE price
      END - paid_amount
    )
  ) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT appointment_service_fkey FOREIGN KEY (merchant_id, service_id) REFERENCES booking.service,
  CONSTRAINT appointment_staff_fkey FOREIGN KEY (merchant_id, staff_id) REFERENCES booking.staff_member,
  CONSTRAINT appointment_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer,
  CONSTRAINT appointment_times_in_order CHECK (start_time < end_time),
  CONSTRAINT appointment_terms_check
    CHECK (
      prepayment BETWEEN 0 AND price
      AND no_show_fee BETWEEN 0 AND price
      AND fee BETWEEN 0 AND no_show_fee
      AND cancellation_minutes >= 0
    ),
  CONSTRAINT appointment_payment_due_check CHECK (payment_due_at IS NULL OR status = 'SCHEDULED'),
  -- A staff member is at one place at a time.
  CONSTRAINT appointment_no_overlap
    EXCLUDE
      USING gist
      (merchant_id WITH =, staff_id WITH =, tstzrange(start_time, end_time) WITH &&)
      WHERE (takes_time),
  -- booking.appointment_resource follows this key.
  CONSTRAINT appointment_time_key UNIQUE (merchant_id, id, start_time, end_time, takes_time)
);
CREATE UNIQUE INDEX appointment_external_id_key ON booking.appointment (merchant_id, external_id)
WHERE external_id IS NOT NULL;
CREATE INDEX appointment_metadata ON booking.appointment USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);
CREATE INDEX appointment_start_time ON booking.appointment (merchant_id, start_time, id);
CREATE INDEX appointment_created_at ON booking.appointment (merchant_id, created_at, id);
CREATE INDEX appointment_customer ON booking.appointment (merchant_id, customer_id, start_time);
CREATE INDEX appointment_staff ON booking.appointment (merchant_id, staff_id, start_time);
CREATE INDEX appointment_service ON booking.appointment (merchant_id, service_id);
CREATE INDEX appointment_payment_due ON booking.appointment (payment_due_at) WHERE payment_due_at IS NOT NULL;
CREATE INDEX appointment_ahead ON booking.appointment (start_time) WHERE status IN ('SCHEDULED', 'CONFIRMED');

CREATE TABLE booking.appointment_resource (
  merchant_id uuid NOT NULL,
  appointment_id uuid NOT NULL,
  resource_id uuid NOT NULL,
  -- The appointment's own, which the foreign key keeps equal: an exclusion constraint sees one table.
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  takes_time boolean NOT NULL,
  PRIMARY KEY (merchant_id, appointment_id, resource_id),
  CONSTRAINT appointment_resource_appointment_fkey
    FOREIGN KEY (merchant_id, appointment_id, start_time, end_time, takes_time) REFERENCES booking.appointment (
      merchant_id,
      id,
      start_time,
      end_time,
      takes_time
    )
      ON UPDATE CASCADE
      ON DELETE CASCADE,
  CONSTRAINT appointment_resource_resource_fkey FOREIGN KEY (merchant_id, resource_id) REFERENCES booking.resource,
  -- A resource serves one appointment at a time.
  CONSTRAINT appointment_resource_no_overlap
    EXCLUDE
      USING gist
      (merchant_id WITH =, resource_id WITH =, tstzrange(start_time, end_time) WITH &&)
      WHERE (takes_time)
);
CREATE INDEX appointment_resource_resource ON booking.appointment_resource (merchant_id, resource_id);

CREATE TABLE booking.reminder (
  merchant_id uuid NOT NULL,
  appointment_id uuid NOT NULL,
  start_time timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, appointment_id, start_time),
  CONSTRAINT reminder_appointment_fkey
    FOREIGN KEY (merchant_id, appointment_id) REFERENCES booking.appointment
      ON DELETE CASCADE
);
CREATE INDEX service_updated_at ON booking.service (merchant_id, updated_at, id);
CREATE INDEX staff_member_updated_at ON booking.staff_member (merchant_id, updated_at, id);
CREATE INDEX resource_updated_at ON booking.resource (merchant_id, updated_at, id);
CREATE INDEX appointment_updated_at ON booking.appointment (merchant_id, updated_at, id);
