-- iOS tokens of hexadecimal digits are one token in either letter case, and are stored in small letters from now on. A token that was stored with
-- capitals before is found here, by its small letters, until its device is next registered, imported or logged in. So the index is nearly always empty.
create index subscriptions_by_small_token on subscriptions (md5(app_id || ' ' || lower(address)))
  where platform = 'ios' and address ~ '^[0-9A-Fa-f]+$' and address ~ '[A-F]';
