import pg from 'pg'

/**
 * A long history written by the server itself, as quickly as it can: a million rows take seconds. `url` is the app's own address. Ids sort by
 * the second they were made in, like real ones; campaign `n` of `count` is the n-th newest but for the order within a day.
 */
type History = { appId: string; count: number; days: number }

const idOf = (n: string, at: string) => `lpad(to_hex(extract(epoch from ${at})::bigint), 8, '0') || lpad(to_hex(${n}), 16, '0')`
/** One moment for all statements, so that a campaign has the same id in every table. */
const startedAt = new Date().toISOString()
/** Spread over the days, the newest a minute ago. */
const timeOf = ({ count, days }: History, n: string) =>
  `timestamptz '${startedAt}' - interval '1 minute' - (${n} * ${((days - 1) * 86_400) / count}) * interval '1 second'`

async function within(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Settled campaigns of an app in the tracker, each with so many pushes: the first of each thousandth campaign has failed, the others were
 * sent. All of them are to one user and their devices, `pushes` in number. Half of the pushes were reported as delivered.
 */
export const fillTracker = (url: string, { pushes, ...history }: History & { pushes: number }): Promise<void> =>
  within(url, async (client) => {
    for (let ago = 0; ago <= history.days; ago += 1) {
      const { rows } = await client.query<{ day: string; next: string; name: string }>(
        `select day::text, (day + 1)::text as next, to_char(day, 'YYYYMMDD') as name from (select (now() at time zone 'utc')::date - $1::int as day) as d`,
        [ago],
      )
      for (const { day, next, name } of rows)
        for (const parent of ['ledger_batches', 'engagements'])
          await client.query(
            `create table if not exists ${parent}_${name} partition of ${parent} for values from ('${day}') to ('${next}')`,
          )
    }
    const campaigns = `
      select n, ${idOf('n', timeOf(history, 'n'))} as campaign_id, ((${timeOf(history, 'n')}) at time zone 'utc')::date as day
      from generate_series(1, ${history.count}) as n`
    await client.query(
      `insert into ledger_batches (day, batch_no, place, size, sent, failed, campaign_id, app_id, platform, devices, users, slots, ends)
       select day, 1, device - 1, 1, 1 - is_failed, is_failed, decode(campaign_id, 'hex'), decode($1, 'hex'), 'android',
         decode(lpad(to_hex(device), 24, '0'), 'hex'), decode(repeat('a', 24), 'hex'), '\\x01',
         case is_failed when 1 then '[["failed","timeout","","",1,1,1767225600000]]' else '[["sent","","","",1,1,1767225600000]]' end
       from (${campaigns}) as c, generate_series(1, $2::int) as device, lateral (select (n % 1000 = 0 and device = 1)::int as is_failed) as f`,
      [history.appId, pushes],
    )
    await client.query(
      `insert into engagements (day, campaign_id, subscription_id, kind, at)
       select day, campaign_id, lpad(to_hex(device), 24, '0'), 'delivered', now() from (${campaigns}) as c, generate_series(1, $1::int) as device
       where n % 2 = 0`,
      [pushes],
    )
    // Last, so that a tracker that runs meanwhile never sees counters without their rows.
    await client.query(
      `insert into counters (campaign_id, app_id, day, name, transactional, queued_android, sent, failed, delivered, settled_android, fanned_out_at, settled_at)
       select campaign_id, $1, day, 'notification', true, $2::int, $2 - (n % 1000 = 0)::int, (n % 1000 = 0)::int, case when n % 2 = 0 then $2 else 0 end, $2, now(), now() from (${campaigns}) as c`,
      [history.appId, pushes],
    )
    await client.query('vacuum analyze')
  })

/**
 * Sent notifications of an app in campaigns, all of one template that is made too, and among them, one in a thousand, campaigns that were made by a person:
 * by turns drafts and cancelled ones. Answers nothing; the template's id is given.
 */
export const fillCampaigns = (url: string, { templateId, ...history }: History & { templateId: string }): Promise<void> =>
  within(url, async (client) => {
    await client.query(
      `insert into templates (id, app_id, name, content) values ($1, $2, 'Order', '{"_default":"en","en":{"title":"Order","body":"It is ready."}}')`,
      [templateId, history.appId],
    )
    await client.query(
      `insert into campaigns (id, app_id, name, status, transactional, content, template_id, silent, data, ttl, priority, bypass, created_at, started_at, settled_at)
       select ${idOf('n', timeOf(history, 'n'))}, $1, case when n % 1000 = 0 then 'Made by hand ' || n else 'notification' end,
         case when n % 2000 = 0 then 'draft' when n % 1000 = 0 then 'cancelled' else 'sent' end, n % 1000 <> 0,
         '{"_default":"en","en":{"title":"Order","body":"It is ready."}}', $2, false, '{}', 60, 'high', '{}', ${timeOf(history, 'n')}, now(), now()
       from generate_series(1, ${history.count}) as n`,
      [history.appId, templateId],
    )
    await client.query('vacuum analyze')
  })
