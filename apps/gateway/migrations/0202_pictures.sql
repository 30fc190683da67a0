-- Pictures of messages, which operators have uploaded and which devices load from the gateway. Herald has written each anew, so a row holds no bytes of
-- an upload.
create table pictures (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  -- The address of the picture ends with it: 32 random bytes in base64url, so that nobody finds a picture without its address.
  name text collate "C" not null unique,
  media_type text not null check (media_type in ('image/jpeg', 'image/png', 'image/gif')),
  width integer not null,
  height integer not null,
  -- At most 1 MiB.
  bytes bytea not null,
  -- SHA-256 of the bytes: the same picture is kept once for each app.
  hash bytea not null,
  -- Who uploaded it, as the audit names actors.
  added_by text not null,
  created_at timestamptz(3) not null default now()
);
-- Pictures do not get smaller when they are compressed once more.
alter table pictures alter column bytes set storage external;
create unique index pictures_by_hash on pictures (app_id, hash);
create index pictures_newest on pictures (app_id, created_at desc, id desc);
