-- Refused sign-ins are summed in one line of the audit for each address and hour, because anybody can be refused and lines cannot be deleted.
create unique index audit_refused on audit ((subject ->> 'address'), (subject ->> 'hour'))
  where action = 'session.refused' and subject ? 'hour';

-- The count of such a line may grow within two hours. Nothing else in a line of the audit ever changes.
drop trigger audit_never_changes on audit;
create trigger audit_never_changes before update on audit for each row
  when ((
    old.action = 'session.refused'
    and old.created_at > now() - interval '2 hours'
    and to_jsonb(new) - 'subject' = to_jsonb(old) - 'subject'
    and new.subject - 'count' = old.subject - 'count'
    and (new.subject ->> 'count')::bigint > (old.subject ->> 'count')::bigint
  ) is not true)
  execute function gateway.keep_audit();
