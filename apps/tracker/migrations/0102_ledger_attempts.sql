-- The provider's answers to the earlier attempts of pushes that were attempted more than once. The answers have a table of their own, so that the
-- ledger's rows pay nothing for them. A push is named by its batch and place, so no id of a device or user is stored. `trail` is the list of these
-- answers, at most four, oldest first: [{at, code, providerCode}].
create table ledger_attempts (
  day date not null,
  campaign_id bytea not null,
  batch_no integer not null,
  place smallint not null,
  trail jsonb not null,
  primary key (day, campaign_id, batch_no, place)
) partition by range (day);

-- Makes partitions for every day that the ledger has now, since an outcome of an older day may still come.
do $$
declare
  one text;
  of_day date;
begin
  for one in
    select child.relname from pg_inherits join pg_class child on child.oid = inhrelid where inhparent = 'tracker.ledger_batches'::regclass
  loop
    of_day := to_date(right(one, 8), 'YYYYMMDD');
    execute format('create table tracker.%I partition of tracker.ledger_attempts for values from (%L) to (%L)',
      'ledger_attempts_' || right(one, 8), of_day, of_day + 1);
  end loop;
end
$$;

-- Writes outcomes of pushes of which some were attempted more than once. The answers to earlier attempts are written first. When the outcomes cannot
-- be written, these answers are rolled back too.
create function tracker.write_retried_outcomes(on_day date, asked json, filled json, announced json, of_variants json, of_campaigns json, attempts json)
returns text[] language plpgsql volatile as $$
begin
  insert into tracker.ledger_attempts (day, campaign_id, batch_no, place, trail)
  select on_day, decode(a.campaign_id, 'hex'), a.batch_no, place.value::text::smallint, a.trail
  from json_to_recordset(attempts) as a(campaign_id text, batch_no int, places json, trail jsonb)
    cross join lateral json_array_elements(a.places) as place(value)
  order by a.campaign_id, a.batch_no, 4
  on conflict do nothing;
  return tracker.write_outcomes(on_day, asked, filled, announced, of_variants, of_campaigns);
end
$$;
