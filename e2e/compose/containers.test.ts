import { startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { compareWithRecord, type Campaign, type CampaignStats } from '../chaos/scenario-result.ts'
import { compose, containersOf, run } from './compose.ts'
import { registerInside } from './register-inside.ts'

let herald: Herald
let tenant: Tenant
let devices: Device[]

type Hardened = { CapDrop: string[]; CapAdd: string[] | null; SecurityOpt: string[]; ReadonlyRootfs: boolean }

const perPlatform = 2_000
const apps = ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']

beforeAll(async () => {
  herald = await startHerald()
  tenant = await givenTenant(herald)
  devices = []
  for (const platform of ['ios', 'android', 'web'] as const)
    devices.push(...(await tenant.makeDevices(platform, perPlatform, { keyPool: 16 })))
  await registerInside(tenant, devices)
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
})

/** Sends to every device, and repeats the send with the same key until Herald answers 202. From then on the send may not be lost. */
async function send(key: string): Promise<Campaign> {
  const id = await until(
    async () => {
      const answer = await tenant
        .call<{ id: string }>(
          'POST',
          '/v1/notifications',
          { target: { all: true }, content: { _default: 'en', en: { title: 'Containers', body: key } } },
          { 'idempotency-key': key },
        )
        .catch(() => undefined)
      return answer?.status === 202 && answer.body.id
    },
    { withinMs: 120_000, what: `${key} is accepted` },
  )
  return { id, devices: devices.map((device) => device.id), status: 'sending', stats: { queued: 0, sent: 0, failed: 0, skipped: 0 } }
}

async function settled(campaign: Campaign): Promise<void> {
  await until(
    async () => {
      const answer = await tenant
        .call<{ status: string; stats: CampaignStats }>('GET', `/v1/campaigns/${campaign.id}/stats`)
        .catch(() => undefined)
      if (answer?.status === 200) Object.assign(campaign, { status: answer.body.status, stats: answer.body.stats })
      return campaign.status === 'sent'
    },
    { withinMs: 180_000, what: `campaign ${campaign.id} is sent` },
  )
}

const sentSoFar = async ({ id }: Campaign) =>
  (await tenant.call<{ stats: CampaignStats }>('GET', `/v1/campaigns/${id}/stats`).catch(() => undefined))?.body?.stats?.sent ?? 0

const scaleDispatcher = (count: number) =>
  compose(['up', '-d', '--no-recreate', '--wait', '--scale', `dispatcher=${count}`, 'dispatcher'], { quiet: true })

test('when dispatchers are added from one to four and removed during a send, no push is lost or doubled', async () => {
  await tenant.simulator('PUT', '/faults', { latencyMs: 300 })
  const campaigns = [await send('scale-1'), await send('scale-2'), await send('scale-3')]
  await until(async () => (await sentSoFar(campaigns[0]!)) > 0, { withinMs: 60_000, what: 'the send is under way' })
  await scaleDispatcher(4)
  expect(await containersOf('dispatcher')).toHaveLength(4)
  campaigns.push(await send('scale-4'), await send('scale-5'))
  await scaleDispatcher(1)
  await tenant.simulator('PUT', '/faults', { latencyMs: 0 })
  for (const campaign of campaigns) await settled(campaign)
  expect(await compareWithRecord(tenant, campaigns)).toEqual({
    missing: 0,
    copies: 0,
    strangers: 0,
    unsettled: 0,
    difference: 0,
    series: 0,
    failed: 0,
  })
})

test('when service, NATS and Postgres containers are killed in turn, every accepted send reaches its devices', async () => {
  const campaigns: Campaign[] = []
  for (const service of [...apps, 'nats', 'postgres']) {
    campaigns.push(await send(`kill-${service}`))
    const [container = ''] = await containersOf(service)
    await run('docker', ['kill', container], { quiet: true })
    // Docker does not restart a container that was killed with `docker kill`, so the test starts it.
    await run('docker', ['start', container], { quiet: true })
  }
  for (const campaign of campaigns) await settled(campaign)
  const result = await compareWithRecord(tenant, campaigns)
  expect(result).toMatchObject({ missing: 0, strangers: 0, unsettled: 0, difference: 0, series: 0, failed: 0 })
  // One dispatcher died, so at most its window of pushes may have been sent twice.
  expect(result.copies).toBeLessThanOrEqual(1_000)
})

test('a service that crashes in a container is started again by Docker', async () => {
  for (const service of apps) {
    const [container = ''] = await containersOf(service)
    const inspect = async (what: string) => (await run('docker', ['inspect', '-f', what, container], { quiet: true })).trim()
    process.kill(Number(await inspect('{{.State.Pid}}')), 'SIGKILL')
    await until(async () => Number(await inspect('{{.RestartCount}}')) > 0, { withinMs: 30_000, what: `${service} is started again` })
    await until(async () => (await inspect('{{.State.Health.Status}}')) === 'healthy', {
      withinMs: 60_000,
      what: `${service} is healthy again`,
    })
  }
  const campaign = await send('after-crashes')
  await settled(campaign)
  expect(campaign.stats).toMatchObject({ sent: devices.length, failed: 0, skipped: 0 })
})

// spec: running/containers
test('every container, Postgres and NATS too, drops all capabilities, may gain none, and cannot write its root file system', async () => {
  const needed: Record<string, string[]> = { postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'] }
  const services = (await compose(['config', '--services'], { quiet: true })).trim().split('\n')
  expect(services.length).toBeGreaterThanOrEqual(11)
  for (const service of services) {
    const [container = ''] = await containersOf(service)
    const { HostConfig: host } = (
      JSON.parse(await run('docker', ['inspect', container], { quiet: true })) as { HostConfig: Hardened }[]
    )[0]!
    const added = (host.CapAdd ?? []).map((name) => name.replace(/^CAP_/, '')).toSorted()
    expect([service, host.CapDrop, added, host.SecurityOpt, host.ReadonlyRootfs]).toEqual([
      service,
      ['ALL'],
      needed[service] ?? [],
      ['no-new-privileges:true'],
      true,
    ])
  }
})

test('containers run without privileges: not as root, and on a root file system that cannot be written', async () => {
  for (const service of apps) {
    expect(await compose(['exec', '-T', service, 'id', '-u'], { quiet: true })).toBe('1000\n')
    await expect(compose(['exec', '-T', service, 'touch', '/app/written'], { quiet: true })).rejects.toThrow('ended with')
  }
})
