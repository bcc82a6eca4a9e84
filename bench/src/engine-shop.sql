-- A small shop for the engine alone: no triggers and no rules of commerce, so that what is measured is the engine.
create table product (
  id bigint generated always as identity primary key,
  merchant_id integer not null,
  name text not null,
  slug text not null,
  price bigint not null,
  currency text not null default 'USD',
  status text not null default 'ACTIVE',
  created_at timestamptz not null default now()
);
create index on product (merchant_id, status, created_at desc, id desc);

create table product_image (
  id bigint generated always as identity primary key,
  merchant_id integer not null,
  product_id bigint not null references product on delete cascade,
  url text not null,
  alt text not null,
  width integer not null,
  height integer not null,
  position integer not null
);
create index on product_image (product_id, position);

create table category (
  id bigint generated always as identity primary key,
  name text not null,
  slug text not null
);

create table product_category (
  merchant_id integer not null,
  product_id bigint not null references product on delete cascade,
  category_id bigint not null references category on delete cascade,
  primary key (product_id, category_id)
);
create index on product_category (category_id);

create table stock (
  merchant_id integer not null,
  product_id bigint primary key references product on delete cascade,
  available integer not null,
  reserved integer not null
);
