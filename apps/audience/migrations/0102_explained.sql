-- Columns by which explain can speak about the past. All of them are nullable, so that no table is rewritten; for changes before this migration they
-- are null.

-- When tags, language, timezone or country of a user last changed.
alter table users add column changed_at timestamptz;

-- `opted_out_at`: since when a device is opted out; it means something only while `opted_in` is false. `invalidated_code` and
-- `invalidated_campaign_id`: the code of the answer by which a device was invalidated, and the campaign whose push got that answer; they mean
-- something only while `invalidated_at` is set. So a registration, which makes a device valid and opts
-- it in, need not clear them.
alter table subscriptions add column opted_out_at timestamptz, add column invalidated_code text, add column invalidated_campaign_id text collate "C";
-- When a PATCH request of the device last named its app version, system version or model, or an import last updated the device. Registrations and
-- sessions do not count.
alter table subscriptions add column told_at timestamptz;

-- In a batch of retries: the provider's answers to the earlier tries, in order: [{at, code, providerCode}]. Null when there was no answer.
alter table batches add column trail jsonb;

-- The former value of `waves`. A settled send is found by `waves` until its claims are deleted; then `waves` becomes null and its value moves here.
alter table fan_outs add column past_waves jsonb;
