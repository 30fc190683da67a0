-- What explain says of the past. All of it is nullable and written where it changes: no table is rewritten, and what is older has none of it.

-- When the tags, the language, the zone or the country of a user last changed.
alter table users add column changed_at timestamptz;

-- Since when a device is opted out: of meaning while `opted_in` is false. By which answer to which campaign it was invalidated: of meaning while
-- `invalidated_at` is set. So whoever registers again writes neither.
alter table subscriptions add column opted_out_at timestamptz, add column invalidated_code text, add column invalidated_campaign_id text collate "C";
-- When it last told something else of its app or system, without a registration or a session.
alter table subscriptions add column told_at timestamptz;

-- Of a retry: the answers that its pushes heard before, in order, each a try: [{at, code, providerCode}]. Null: there was none.
alter table batches add column trail jsonb;

-- The plan of a send's waves, when its claims have been dropped and `waves` is emptied with them: what that is found by stays as it is.
alter table fan_outs add column past_waves jsonb;
