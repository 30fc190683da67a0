-- Fills of slots and answers to earlier attempts are written by the caller's statement, which names the partition of the day: a plan for one partition is
-- kept and locks one table. Before, each commit planned for the day anew (1.0 of 1.8 ms of the server's time). This function does what is left of a
-- commit of outcomes, in the same statement. `written`: how many rows of the ledger the statement has filled, of `wanted`. Everything else as in 0090.
-- The functions of 0090 that it replaces stay for processes of the version before.
-- Raises HR001, so that nothing is written, when a row of `listeners` or of the ledger has changed since it was read.
create function tracker.count_outcomes(asked json, written bigint, wanted bigint, announced json, of_variants json, of_campaigns json)
returns text[] language plpgsql volatile as $$
begin
  -- The same lock as in listeners_of (0080): a change of `listeners` is answered only after this transaction ends.
  perform pg_advisory_xact_lock_shared(hashtextextended('tracker.listeners', place))
    from (select distinct hashtext(app.id) & 63 as place from json_to_recordset(asked) as app(id text) order by 1) places;
  if exists (
    select from json_to_recordset(asked) as app(id text, version bigint)
    where app.version <> coalesce((select l.version from tracker.listeners l where l.app_id = app.id), -1)
  ) or written < wanted then
    raise exception 'no longer as it was read' using errcode = 'HR001';
  end if;
  if json_array_length(announced) > 0 then perform tracker.insert_announcements(announced); end if;
  if json_array_length(of_variants) > 0 then perform tracker.move_variant_counters(of_variants); end if;
  return tracker.move_counters(of_campaigns);
end
$$;
