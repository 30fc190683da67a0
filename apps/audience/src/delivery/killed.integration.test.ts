import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { startSends } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { serverArgs } from '@herald/testing/programs'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { findFanOut } from '../sends/store/fan-outs.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { db, peers, dispatcher, config } = await openAudience()
const children: ChildProcess[] = []
afterAll(() => children.forEach((child) => child.kill('SIGKILL')))

/** Starts audience as it runs in production, in a process that the test can kill. */
async function startChild(): Promise<ChildProcess> {
  const env = Object.fromEntries(Object.entries({ ...process.env, ...config }).map(([name, value]) => [name, String(value)]))
  const child = spawn(process.execPath, serverArgs('audience'), { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  children.push(child)
  await once(child, 'message')
  return child
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
  return child.exitCode
}

/** Ends the leases of the killed processes, so that the test need not wait for their end. */
const endLeases = async (campaignId: string) => {
  await db
    .updateTable('fan_outs')
    .set({ lease_until: null, due_at: sql<Date>`now()` })
    .where('campaign_id', '=', campaignId)
    .where('state', '<>', 'fanned_out')
    .execute()
  await db
    .updateTable('batches')
    .set({ lease_until: null, due_at: sql<Date>`now()` })
    .where('campaign_id', '=', campaignId)
    .where('done_at', 'is', null)
    .execute()
}

// spec: sending/committed
test('when processes of audience are killed during a send every device gets exactly one push', { timeout: 120_000 }, async () => {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count: 30_000 })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  dispatcher.finishAll(() => undefined)
  await peers.point(campaignId)

  for (const page of [2, 4, 5]) {
    const child = await startChild()
    await until(async () => ((await findFanOut(db, campaignId))?.page ?? 0) >= page, { withinMs: 30_000, what: `page ${page}` })
    await kill(child, 'SIGKILL')
    await endLeases(campaignId)
  }
  const last = await startChild()
  await until(async () => (await findFanOut(db, campaignId))?.dueAt === null, { withinMs: 75_000, what: 'the end of the fan-out' })

  const batches = await db
    .selectFrom('batches')
    .select(['batch_no', 'subscription_ids', 'done_at'])
    .where('campaign_id', '=', campaignId)
    .execute()
  expect(batches.flatMap(({ subscription_ids }) => subscription_ids).toSorted()).toEqual(crowd)
  // Every push has its slot in the ledger, although a process may have been killed after it had stored a page and before it had reported the page to
  // the tracker.
  expect(peers.reported(campaignId)).toEqual(new Map(batches.map((batch) => [batch.batch_no, batch.subscription_ids])))
  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 30_000 } })
  expect(await kill(last, 'SIGTERM')).toBe(0)
})

test('when audience is killed while it begins small sends no send is lost and no push is queued twice', { timeout: 120_000 }, async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const child = await startChild()
  const target = { kind: 'subscriptionIds' as const, subscriptionIds: [id] }
  const sends = Array.from({ length: 60 }, () => givenSend(appId))
  const ids = sends.map((send) => peers.givenCampaign(send, target))
  // When audience does not answer, the test publishes a pointer at the send, as campaigns does.
  const handed = sends.map((send) =>
    dispatcher.bus.call(startSends, { sends: [{ send, target }] }).then(
      () => undefined,
      () => peers.point(send.campaignId),
    ),
  )
  await until(async () => (await Promise.all(ids.map((campaignId) => findFanOut(db, campaignId)))).some((row) => row !== undefined))
  await kill(child, 'SIGKILL')
  await startChild()
  await Promise.all(handed)

  await until(
    async () => {
      await sql`update fan_outs set due_at = now() where due_at is not null and told_page < page`.execute(db)
      await sql`update batches set due_at = now() where done_at is null and takes = 0`.execute(db)
      return ids.every((campaignId) => dispatcher.pointers.some((pointer) => pointer.campaignId === campaignId))
    },
    { withinMs: 60_000, what: 'a pointer at every send' },
  )
  for (const campaignId of ids) {
    const batches = await db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).execute()
    expect(batches.map((batch) => batch.subscription_ids)).toEqual([[id]])
    expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 1 } })
  }
})
