import { Client } from 'pg'
import type { AppWithDatabase } from '@herald/contracts/call'
import type { Owners } from './apps.ts'
import { explainDatabaseError } from './database.ts'
import { StartError } from './start-error.ts'

export const restoreUsage = 'restore [--keep-sending]'

/** How long after now a campaign begins whose scheduled time has passed, so that an operator can cancel it before. */
const beginsAfterMinutes = 60
/** The numbers of takes go on above those that dispatchers may remember from the time that is undone. */
const skippedTakes = 500
const mostListed = 50

type Held = { id: string; appId: string; name: string }

/**
 * Prepares databases that went back in time, while no service runs, and says what was done. Unless `keepSending`, pauses sends and recurrences, which
 * would send again, and begins overdue campaigns in an hour. Batches always get new numbers of takes.
 */
export async function restore(owners: Owners, { keepSending }: { keepSending: boolean }): Promise<string> {
  for (const app of ['campaigns', 'audience'] as const) await inDatabase(owners[app], checkAlone(app))
  const told: string[] = []
  if (!keepSending) {
    const paused = await inDatabase(owners.campaigns, async (client) => {
      const sends = await client.query<Held & { no: number }>(`
        update campaigns.campaigns set status = 'paused', paused_at = now(), due_at = null, flow_no = flow_no + 1, flow_due_at = now()
        where status = 'sending' and not cancelling returning id, app_id as "appId", name, flow_no as no`)
      const recurrences = await client.query<Held>(`
        update campaigns.campaigns set status = 'paused', paused_at = now(), due_at = null where status = 'active' returning id, app_id as "appId", name`)
      const scheduled = await client.query<Held>(`
        update campaigns.campaigns set due_at = now() + interval '${beginsAfterMinutes} minutes'
        where status = 'scheduled' and due_at < now() + interval '${beginsAfterMinutes} minutes' returning id, app_id as "appId", name`)
      told.push(
        ...list(
          'sends under way are paused: resume or cancel each on its page. Resumed, each sends what was sent since that time again',
          sends.rows,
        ),
        ...list('recurrences are paused: resumed, each goes on with its next time', recurrences.rows),
        ...list(`scheduled campaigns begin in ${beginsAfterMinutes} minutes: cancel those that were sent already`, scheduled.rows),
      )
      return sends.rows
    })
    // Audience must know before its dispatchers ask, and campaigns tells it only after the start.
    await inDatabase(owners.audience, (client) =>
      client.query(
        `update audience.fan_outs f set flow = 'paused', flow_no = paused.no, lease_until = null
        from unnest($1::text[], $2::int[]) as paused(id, no) where f.campaign_id = paused.id and f.settled_at is null`,
        [paused.map(({ id }) => id), paused.map(({ no }) => no)],
      ),
    )
  }
  const { rowCount } = await inDatabase(owners.audience, (client) =>
    client.query(
      `update audience.batches set takes = takes + ${skippedTakes}, lease_until = null, due_at = now() where done_at is null and takes > 0`,
    ),
  )
  told.push(`${rowCount ?? 0} batches are taken anew`)
  return told.map((line) => `${line}\n`).join('')
}

function list(what: string, held: Held[]): string[] {
  const more = held.length > mostListed ? [`  and ${held.length - mostListed} more`] : []
  return [`${held.length} ${what}`, ...held.slice(0, mostListed).map(({ id, appId, name }) => `  ${id} (app ${appId}) ${name}`), ...more]
}

async function inDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'herald-restore' })
  await client.connect().catch((error: unknown) => {
    throw explainDatabaseError(url, error)
  })
  try {
    await client.query('begin')
    const done = await work(client)
    await client.query('commit')
    return done
  } finally {
    await client.end()
  }
}

/** Throws while a process of Herald is connected: it would go on with what it remembers of the time that is undone. */
const checkAlone = (app: AppWithDatabase) => async (client: Client) => {
  const { rows } = await client.query<{ name: string }>(`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'herald-%' and pid <> pg_backend_pid() order by 1`)
  if (rows.length > 0)
    throw new StartError(`Stop Herald first: ${rows.map(({ name }) => name).join(', ')} is connected to the database of ${app}.`)
}
