create table account (id integer primary key, balance integer not null);
insert into account select n, 0 from generate_series(1, 5) n;
create table orders (id uuid primary key, account_id integer not null references account, status text not null);
create table line (
  order_id uuid not null references orders,
  position integer not null,
  amount integer not null,
  primary key (order_id, position)
);
create table entry (order_id uuid primary key references orders, account_id integer not null, amount integer not null);
create table pair (id uuid primary key, twin uuid not null);
