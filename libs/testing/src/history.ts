import pg from 'pg'

/**
 * What `fillTracker` and `fillCampaigns` write: `count` past campaigns of an app over `days` days; number 1 is the newest. Postgres makes the rows,
 * so a million take seconds. Ids begin with the second in which the campaign was made.
 */
type History = { appId: string; count: number; days: number }

const idOf = (n: string, at: string) => `lpad(to_hex(extract(epoch from ${at})::bigint), 8, '0') || lpad(to_hex(${n}), 16, '0')`
/** The same instant for all statements, so that a campaign has the same id in every table. */
const startedAt = new Date().toISOString()
/** Gives SQL for the time at which campaign number `n` was made. The times are spread evenly over the days, and the newest is about a minute ago. */
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
 * Writes settled campaigns of an app into the tracker, each with `pushes` pushes to the devices of one user. In every thousandth the first push has
 * failed; all others were sent. In every second one all pushes were delivered.
 */
export const fillTracker = (url: string, { pushes, ...history }: History & { pushes: number }): Promise<void> =>
  within(url, async (client) => {
    for (let ago = 0; ago <= history.days; ago += 1) {
      const { rows } = await client.query<{ day: string; next: string; name: string }>(
        `select day::text, (day + 1)::text as next, to_char(day, 'YYYYMMDD') as name from (select (now() at time zone 'utc')::date - $1::int as day) as d`,
        [ago],
      )
      for (const { day, next, name } of rows) {
        for (const parent of ['ledger_batches', 'engagements'])
          await client.query(
            `create table if not exists ${parent}_${name} partition of ${parent} for values from ('${day}') to ('${next}')`,
          )
        // The name that Postgres gives to the index when the tracker makes the partition.
        const index = `engagements_${name}_campaign_id_subscription_id_kind_idx`
        await client.query(`create unique index if not exists ${index} on engagements_${name} (campaign_id, subscription_id, kind)`)
      }
    }
    const campaigns = `
      select n, ${idOf('n', timeOf(history, 'n'))} as campaign_id, ((${timeOf(history, 'n')}) at time zone 'utc')::date as day
      from generate_series(1, ${history.count}) as n`
    // The tracker stores small batches differently from large ones. A batch of up to 16 pushes has a row for each push; a larger one has a single
    // row, which is found by the range of its devices.
    const isFew = pushes <= 16
    const size = isFew ? 1 : pushes
    const sent = '["sent","","","",1,1,1767225600000]'
    const failed = '["failed","timeout","","",1,1,1767225600000]'
    await client.query(
      `insert into ledger_batches (day, batch_no, place, size, sent, failed, campaign_id, app_id, platform, first_id, last_id, devices, users, slots, ends)
       select day, 1, part, ${size}, ${size} - is_failed, is_failed, decode(campaign_id, 'hex'), decode($1, 'hex'), 'android',
         case when ${isFew} then null else min(id) end, case when ${isFew} then null else max(id) end, string_agg(id, ''::bytea order by id),
         decode(repeat('a', 24 * ${size}), 'hex'), decode(case is_failed when 1 then '02' else '01' end, 'hex') || decode(repeat('01', ${size - 1}), 'hex'),
         '[${sent}' || case is_failed when 1 then ',${failed}]' else ']' end
       from (${campaigns}) as c,
         lateral (select n % 1000 = 0 as has_failed) as h, generate_series(0, case when ${isFew} then ${pushes} - 1 else 0 end) as part,
         lateral (select (has_failed and part = 0)::int as is_failed) as f,
         lateral (
           select decode(lpad(to_hex(device), 24, '0'), 'hex') as id from generate_series(1, ${pushes}) as device where not ${isFew} or device = part + 1
         ) as devices
       group by n, day, campaign_id, part, is_failed`,
      [history.appId],
    )
    await client.query(
      `insert into engagements (day, campaign_id, subscription_id, kind, at)
       select day, decode(campaign_id, 'hex'), decode(lpad(to_hex(device), 24, '0'), 'hex'), 'd', now() from (${campaigns}) as c, generate_series(1, $1::int) as device
       where n % 2 = 0`,
      [pushes],
    )
    // The counters come last, so that a running tracker never sees counters without their rows.
    await client.query(
      `insert into counters (campaign_id, app_id, day, name, transactional, queued_android, sent, failed, delivered, settled_android, has_ranges, fanned_out_at, settled_at)
       select campaign_id, $1, day, 'notification', true, $2::int, $2 - (n % 1000 = 0)::int, (n % 1000 = 0)::int, case when n % 2 = 0 then $2 else 0 end, $2, $3, now(), now() from (${campaigns}) as c`,
      [history.appId, pushes, !isFew],
    )
    await client.query('vacuum analyze')
  })

/**
 * Writes sent notifications of an app into campaigns, and the template with the id `templateId`, which all of them use. Every thousandth row is a
 * campaign that an operator made instead: a draft and a cancelled one in turn.
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
