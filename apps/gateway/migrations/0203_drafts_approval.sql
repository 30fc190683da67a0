-- What operators have written into a message that is not complete, so that it is no campaign yet. The dashboard saves it from the first keystroke.
create table drafts (
  app_id text collate "C" not null references apps (id),
  -- Chosen by the client, so that a save whose answer was lost can be repeated. Of a campaign that is being edited it is the campaign's id.
  id text collate "C" not null,
  -- The draft as JSON, of at most 64 KiB. It is text and not jsonb, because a draft may hold \u0000, which jsonb refuses.
  draft text not null,
  -- The draft's own field `name`, for lists; null when it has none.
  name text,
  -- Counts the saves. A save names the number that it has seen, so that it overwrites nobody else's.
  revision integer not null default 1,
  -- Who saved it last, as the audit names actors.
  saved_by text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (app_id, id)
);
create index drafts_newest on drafts (app_id, created_at desc, id desc);

-- Campaigns that somebody asked to send in the dashboard, to more devices than the app's setting `approval` allows without a second operator. They
-- stay drafts until somebody else confirms. A row goes when the campaign is confirmed, changed or deleted.
create table approvals (
  app_id text collate "C" not null references apps (id),
  campaign_id text collate "C" not null,
  -- Who asked, as the audit names actors.
  asked_by text not null,
  -- The session and the administration key with which it was asked; null without one. Whoever has one of them cannot confirm.
  session_id text collate "C",
  admin_key_id text collate "C",
  -- To how many devices the campaign would have gone then.
  devices bigint not null,
  -- A hash of the draft's revision and its target as they were then: only these are confirmed.
  seen text collate "C" not null,
  asked_at timestamptz(3) not null default now(),
  -- Until then somebody's confirmation is under way, and the draft cannot be changed; null before.
  confirming_until timestamptz,
  primary key (app_id, campaign_id)
);
