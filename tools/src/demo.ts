import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callHerald, type HeraldClient, type DemoOptions } from './demo-client.ts'
import { demoTable, type Push } from './demo-table.ts'
import { writeWhole } from './write-whole.ts'

/** The content of `<data>/demo.json` (0600). With it a second start finds the demo's app, keys and devices again. */
type DemoState = {
  appId: string
  secretKey: string
  publicKey: string
  /** The simulator's ids of the devices. */
  devices: string[]
  /** Those of `devices` whose tokens or endpoints the simulated provider calls dead, as after an uninstall. */
  dead: string[]
}

/** Each demo device belongs to a user of its own. The user's external id is this prefix and the device's id. */
const userPrefix = 'demo-'
const perPlatform = 100
const deadPerPlatform = 4

/**
 * Makes an app with 300 simulated devices, some dead, or finds it again at a later start. Sends one notification through the public API, and prints
 * its progress, its outcomes and what to try next.
 */
export async function demo(options: DemoOptions): Promise<void> {
  const { print, dataDir } = options
  const herald = callHerald(options)
  const kept = join(dataDir, 'demo.json')
  print('')
  let state = readState(kept)
  if (state && !(await herald.stillThere(state.appId, state.devices[0] ?? ''))) state = undefined
  if (!state) {
    print(`Making a demo app with ${3 * perPlatform} simulated devices …`)
    state = await makeDemo(herald)
    writeWhole(kept, `${JSON.stringify(state, null, 2)}\n`, 0o600)
  }
  // Registers all devices, as mobile apps do whenever they are opened. Devices with dead tokens are registered too, because otherwise Herald would
  // leave them out of a second demo, and it would show no failures.
  await herald.simulator('POST', '/crowd', {
    baseUrl: options.baseUrl,
    appKey: state.publicKey,
    devices: state.devices,
    externalIdPrefix: userPrefix,
  })
  await herald.simulator('PUT', '/devices/behaviour', { ids: state.dead, answer: 'dead' })
  await herald.simulator('PUT', '/crowd/reports', { baseUrl: options.baseUrl, delivered: 0.98, opened: 0.3 })
  await sendOne(herald, state, options)
  printNext(state, options)
}

function readState(path: string): DemoState | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DemoState) : undefined
}

async function makeDemo(herald: HeraldClient): Promise<DemoState> {
  const { id: appId } = await herald.admin<{ id: string }>('POST', '/apps', { name: 'Demo' })
  const { key: secretKey } = await herald.admin<{ key: string }>('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'demo backend' })
  const { key: publicKey } = await herald.admin<{ key: string }>('POST', `/apps/${appId}/keys`, { kind: 'public', name: 'demo app' })

  const apns = { teamId: 'DEMOTEAM01', keyId: 'DEMOKEY001', bundleId: 'org.example.demo' }
  const { privateKey } = await herald.simulator<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', ...apns })
  await herald.admin('PUT', `/apps/${appId}/providers/apns`, { ...apns, privateKey, environment: 'production' })
  const projectId = 'herald-demo'
  const serviceAccount = await herald.simulator('POST', '/accounts', { kind: 'fcm', projectId })
  await herald.admin('PUT', `/apps/${appId}/providers/fcm`, { serviceAccount })
  const { publicKey: applicationServerKey } = await herald.admin<{ publicKey: string }>('PUT', `/apps/${appId}/providers/webpush`, {
    subject: 'mailto:demo@example.org',
  })

  const devices: string[] = []
  const dead: string[] = []
  for (const kind of [
    { platform: 'ios', bundleId: apns.bundleId, environment: 'production' },
    { platform: 'android', projectId },
    { platform: 'web', applicationServerKey },
  ]) {
    const alive = await herald.makeDevices({ ...kind, count: perPlatform - deadPerPlatform })
    const gone = await herald.makeDevices({ ...kind, count: deadPerPlatform })
    devices.push(...alive, ...gone)
    dead.push(...gone)
  }
  return { appId, secretKey, publicKey, devices, dead }
}

async function sendOne(herald: HeraldClient, state: DemoState, { print, signal }: DemoOptions): Promise<void> {
  print('Sending one notification to everyone …')
  const startedAt = performance.now()
  const { id } = await herald.api<{ id: string }>(state.secretKey, 'POST', '/v1/notifications', {
    target: { all: true },
    content: {
      _default: 'en',
      en: { title: 'Hello from Herald', body: 'This went through six services and a real protocol', url: 'https://example.org/hello' },
    },
  })
  let shown = ''
  for (;;) {
    const { status, stats } = await herald.api<{ status: string; stats: Record<string, number> }>(
      state.secretKey,
      'GET',
      `/v1/campaigns/${id}/stats`,
    )
    const { queued = 0, sent = 0, failed = 0, skipped = 0 } = stats
    const progress = `  ${sent + failed + skipped} of ${queued} settled`
    if (queued > 0 && progress !== shown) print((shown = progress))
    if (status === 'sent' || signal.aborted) break
    await sleep(150)
  }
  const seconds = (performance.now() - startedAt) / 1000

  await herald.reportsAreIn(signal)
  const pushes: Push[] = []
  for (let cursor: string | null = ''; cursor !== null && !signal.aborted;) {
    const page: { items: Push[]; nextCursor: string | null } = await herald.admin(
      'GET',
      `/apps/${state.appId}/pushes?campaignId=${id}&limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    )
    pushes.push(...page.items)
    cursor = page.nextCursor
  }
  for (const line of demoTable(pushes, seconds)) print(line)
}

function printNext({ appId, secretKey, publicKey, devices }: DemoState, { baseUrl, adminToken, print, dataDir }: DemoOptions): void {
  const lines = `
Herald stays up; stop it with Ctrl-C. What to try next:

  base URL              ${baseUrl}
  secret key            ${secretKey}
  public key            ${publicKey}
  administration token  ${adminToken}   (all of them are kept under ${dataDir})

Send to everyone of the demo app (answers the campaign's id):
  curl -s ${baseUrl}/v1/notifications -H 'authorization: Bearer ${secretKey}' -H 'content-type: application/json' -d '{"target":{"all":true},"content":{"_default":"en","en":{"title":"Hi","body":"It works"}}}'

Send to one person:
  curl -s ${baseUrl}/v1/notifications -H 'authorization: Bearer ${secretKey}' -H 'content-type: application/json' -d '{"target":{"externalIds":["${userPrefix}${devices[0]}"]},"content":{"_default":"en","en":{"title":"Hi {{ user.externalId }}","body":"Only for you"}}}'

See what became of the last pushes:
  curl -s '${baseUrl}/v1/admin/apps/${appId}/pushes?limit=5' -H 'authorization: Bearer ${adminToken}'
`
  for (const line of lines.split('\n')) print(line)
}
