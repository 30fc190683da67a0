-- The follow-ups of a campaign. It lies in a file of its own: building it lets others read, which a change of columns does not. Its condition names no
-- status, so that a change of status touches no index.
create index campaigns_recalls on campaigns (recall_of) where recall_of is not null;
