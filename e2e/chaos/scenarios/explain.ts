import type { Explained, Trace } from '@herald/contracts/explain'
import { isInSample } from '@herald/contracts/experiment'
import type { Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beginNextWave, clockIn, ledgerOf, ok, sendCampaign, setDue } from '../../tests/campaigns.ts'
import { givenManyDevices, type Registered } from '../crowd.ts'
import { onDatabase, onPlatform, type Platform } from '../platform.ts'
import { readyPid, signalAll } from '../processes.ts'
import { seeded, type Random } from '../random.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { readStats, send } from '../sends.ts'
import { campaignOf, recordedPushes } from '../scenario-result.ts'

const asked = 1_000
const apps = ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']
const final = new Set(['sent', 'failed', 'skipped'])

/** A user with one device. The tag `group`, from 0 to 9, also decides the user's time zone. */
type User = Registered & { group: number; userId: string }
/** A send, and which users its segment or sample leaves out. */
type Sent = { name: string; id: string; leavesOut: (user: User) => boolean }

export const explain: Scenario = {
  needsSixProcesses: true,
  promise:
    'Of 1,000 random devices and sends (segments, a cap, quiet hours, dead tokens, retries, a cancel, an experiment, waves, every service killed once) explain says what the ledger and the simulator say.',
  async run(scene) {
    for (const seed of scene.seeds) {
      await onPlatform({ HERALD_INSTANCES: 'dispatcher=2' }, (platform) => play(scene, platform, seeded(seed)))
    }
  },
}

async function play(scene: Scene, platform: Platform, random: Random): Promise<void> {
  const { say, note, check } = scene
  const { tenant } = platform
  const users = await givenUsers(platform, Math.min(scene.devices, 3_000))
  await tenant.simulator('PUT', '/devices/behaviour', { answer: 'unavailable', times: 2, share: 0.05 })
  await tenant.simulator('PUT', '/devices/behaviour', { answer: 'dead', share: 0.03 })
  await tenant.simulator('PUT', '/faults', { latencyMs: 50 })

  const sends: Sent[] = []
  const seen: { send: Sent; user: User; trace: Trace }[] = []
  const victims = [...apps]
  /** While the send is under way, kills the next service, if one is left that was not killed, and asks explain about 20 random devices. */
  const trouble = async (sent: Sent) => {
    sends.push(sent)
    const victim = victims.shift()
    if (victim !== undefined) {
      const pid = await until(() => readyPid(platform.herald.dataDir, `${victim}-1`), { withinMs: 60_000, what: `${victim} is ready` })
      signalAll([pid], 'SIGKILL')
    }
    say(`  ${sent.name}${victim ? `, kill -9 ${victim}` : ''}`)
    for (let looks = 0; looks < 20; looks += 1) {
      const user = random.pick(users)
      const trace = await traceOf(tenant, sent.id, user).catch(() => undefined)
      if (trace) seen.push({ send: sent, user, trace })
    }
  }
  const notify = async (name: string, body: Record<string, unknown> = { target: { all: true } }) => (await send(tenant, name, [], body)).id
  const noUser = () => false

  await trouble({ name: 'everybody', id: await notify('everybody'), leavesOut: noUser })
  await settled(tenant, sends)
  const half = { field: 'tags.group', op: 'lt', value: 5 }
  await trouble({ name: 'segment', id: await notify('segment', { target: { segment: half } }), leavesOut: ({ group }) => group >= 5 })
  await settled(tenant, sends)

  await set(tenant, {
    quietHours: { start: clockIn('Asia/Tokyo', -60), end: clockIn('Asia/Tokyo', 60), action: 'skip' },
    defaultTimezone: 'America/Lima',
  })
  await trouble({ name: 'quiet hours', id: await notify('quiet'), leavesOut: noUser })
  await set(tenant, { quietHours: null, frequencyCap: { max: 1, windowSeconds: 3_600 } })
  const ofGroup = { field: 'tags.group', op: 'lt', value: 3 }
  await trouble({
    name: 'cap, used up by some',
    id: await notify('cap-1', { target: { segment: ofGroup } }),
    leavesOut: ({ group }) => group >= 3,
  })
  await trouble({ name: 'cap, used up', id: await notify('cap-2'), leavesOut: noUser })
  await settled(tenant, sends)
  await set(tenant, { frequencyCap: null })

  const variants = ['a', 'b'].map((id) => ({ id, name: id, content: { _default: 'en', en: { title: id, body: 'There is news.' } } }))
  const sampleRate = 0.5
  const experiment = await sendCampaign(tenant, { experiment: { sampleRate, variants } }, 'sending')
  await trouble({ name: 'experiment', id: experiment, leavesOut: ({ userId }) => !isInSample(sampleRate, experiment, userId) })

  const waves = await sendCampaign(tenant, { schedule: { type: 'user_timezone', localTime: clockIn('Asia/Tokyo', 5) } }, 'scheduled')
  await setDue(platform.herald, waves, new Date())
  await beginNextWave(platform.herald, waves)
  await untilQueued(tenant, waves)
  await beginNextWave(platform.herald, waves)
  await trouble({ name: 'waves', id: waves, leavesOut: noUser })
  await settled(tenant, sends)

  await tenant.simulator('PUT', '/faults', { latencyMs: 300 })
  const cancelled = await notify('cancelled')
  await untilQueued(tenant, cancelled)
  ok(await tenant.admin('POST', `/campaigns/${cancelled}/cancel`), 202)
  await trouble({ name: 'cancelled', id: cancelled, leavesOut: noUser })
  await settled(tenant, sends)

  const became = await outcomesOf(tenant, sends)
  const taken = new Set<string>()
  for await (const { msgId, deviceId } of recordedPushes(tenant)) taken.add(`${campaignOf(msgId)} ${deviceId}`)
  const verdicts: Record<string, number> = {}
  for (let one = 0; one < asked; one += 1) {
    const [sent, user] = [random.pick(sends), random.pick(users)]
    const trace = await traceOf(tenant, sent.id, user)
    const row = became.get(`${sent.id} ${user.subscriptionId}`)
    verdicts[`${trace.verdict} ${trace.certainty}`] = (verdicts[`${trace.verdict} ${trace.certainty}`] ?? 0) + 1
    const about = `${sent.name}: ${user.subscriptionId} of group ${user.group}: ${trace.verdict} ${trace.certainty}: ${trace.sentence}`
    check(trace.verdict === (row?.outcome ?? 'not_queued'), `${about}, but the ledger says ${row?.outcome ?? 'nothing'}`)
    if (row) {
      const attempts = trace.steps.find((step) => step.step === 'attempts')
      const heard = attempts?.step === 'attempts' ? attempts.attempts.length : 0
      check(trace.certainty === 'recorded', `${about}, which is recorded`)
      check(heard === row.attempts, `${about}, with ${heard} answers of ${row.attempts}`)
      check(taken.has(`${sent.id} ${user.id}`) === (row.outcome === 'sent'), `${about}, but the simulator says otherwise`)
    } else {
      const stop = trace.steps.at(-1)
      const isNamed = sent.leavesOut(user) ? ['segment', 'experiment', 'reachable'] : ['reachable', 'page']
      check(stop?.result === 'stop' && isNamed.includes(stop.step), `${about}, stopped by ${stop?.step}`)
    }
  }
  for (const { send: sent, user, trace } of seen) {
    const row = became.get(`${sent.id} ${user.subscriptionId}`)
    if (trace.certainty !== 'recorded') continue
    const isKept = final.has(trace.verdict) ? trace.verdict === row?.outcome : row !== undefined
    check(isKept, `${sent.name}: ${user.subscriptionId} was ${trace.verdict} and recorded, and is ${row?.outcome ?? 'not queued'}`)
  }
  note({ asked, users: users.length, sends: sends.length, verdicts, lookedAtMeanwhile: seen.length })
}

/** Makes users with one device each, a tenth of them in each group. The users of odd groups live in Tokyo, those of even groups in Lima. */
async function givenUsers(platform: Platform, count: number): Promise<User[]> {
  const devices = await givenManyDevices(platform, count)
  const owners = await onDatabase(platform.herald, async (client) => {
    await client.query('set search_path to audience')
    await client.query(
      `update users u set tags = jsonb_build_object('group', n % 10), timezone = case when n % 2 = 1 then 'Asia/Tokyo' else 'America/Lima' end
        from (select id, row_number() over (order by id) as n from users where app_id = $1) as numbered where u.id = numbered.id`,
      [platform.tenant.appId],
    )
    const { rows } = await client.query<{ id: string; userId: string; group: number }>(
      `select s.id, s.user_id as "userId", (u.tags ->> 'group')::int as "group" from subscriptions s join users u on u.id = s.user_id where s.app_id = $1`,
      [platform.tenant.appId],
    )
    return new Map(rows.map((row) => [row.id, row]))
  })
  return devices.map((device) => {
    const owner = owners.get(device.subscriptionId)
    return { ...device, group: owner?.group ?? 0, userId: owner?.userId ?? '' }
  })
}

/** Asks explain about a device, and asks again while the platform is busy or a service restarts. */
const traceOf = (tenant: Tenant, campaignId: string, { subscriptionId }: User): Promise<Trace> =>
  until(
    async () => {
      const path = `/explain?campaignId=${campaignId}&subscriptionId=${subscriptionId}`
      const { devices } = ok(await tenant.admin<Explained>('GET', path), 200)
      return devices[0]
    },
    { withinMs: 30_000, what: 'an answer of explain' },
  )

const set = (tenant: Tenant, settings: Record<string, unknown>) =>
  until(async () => (await tenant.admin('PATCH', '', { settings })).status === 200, { withinMs: 30_000, what: 'settings that are changed' })

const untilQueued = (tenant: Tenant, id: string) =>
  until(async () => (await readStats(tenant, { id })).body.stats.queued > 0, { withinMs: 60_000, what: 'a send under way' })

const settled = async (tenant: Tenant, sends: Sent[]): Promise<void> => {
  for (const sent of sends) {
    await until(async () => ['sent', 'cancelled'].includes((await readStats(tenant, sent)).body.status), {
      withinMs: 180_000,
      what: `${sent.name} has settled`,
    })
  }
}

async function outcomesOf(tenant: Tenant, sends: Sent[]): Promise<Map<string, { outcome: string; attempts: number }>> {
  const became = new Map<string, { outcome: string; attempts: number }>()
  for (const { id } of sends) {
    for (const { subscriptionId, outcome, attempts } of await ledgerOf(tenant, id))
      became.set(`${id} ${subscriptionId}`, { outcome, attempts })
  }
  return became
}
