import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { webhooks, type WebhookEvent } from '@herald/node'
import { http } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { recordedPushes } from '../chaos/scenario-result.ts'
import { givenDevices, ok, sendCampaign, untilSettled } from './campaigns.ts'
import { commandFor } from './command.ts'
import { startFaultyProxy } from './faulty-proxy.ts'

const herald = await sharedPlatform()
const { home, start, run } = commandFor(herald)

// spec: administration/events
test('`herald listen` brings 255 events to a receiver on this machine, each once and signed', async () => {
  const tenant = await givenTenant(herald)
  await givenDevices(tenant, 'android', 50)
  const received: { body: string; header: string }[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      received.push({ body, header: String(request.headers[webhooks.signatureHeader]) })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    receiver.close()
    receiver.closeAllConnections()
  })
  const { port } = receiver.address() as AddressInfo
  const { child, said, ended } = start(tenant, ['listen', '--forward', `http://127.0.0.1:${port}/hooks`])
  await until(() => said.err.includes('Posting to'), { withinMs: 60_000, what: 'listen watches' })
  const countOf = () => received.reduce((sum, { body }) => sum + (JSON.parse(body) as { events: unknown[] }).events.length, 0)

  // Each send makes 51 events: a `notification.sent` for each of 50 devices, and a `campaign.completed`. The next send waits until they have arrived,
  // because the stream shows at most 100 events a second.
  for (let round = 1; round <= 5; round += 1) {
    await untilSettled(tenant, await sendCampaign(tenant, {}, 'sending'))
    await until(() => countOf() >= round * 51, { withinMs: 60_000, what: `the events of round ${round}` })
  }
  child.kill('SIGINT')

  expect(await ended).toBe(0)
  const secret = /^secret: (whsec_\S+)$/m.exec(said.out)?.[1] ?? ''
  const deliveries = await Promise.all(received.map(({ body, header }) => webhooks.verify(body, header, secret)))
  const events = deliveries.flatMap((delivery): WebhookEvent[] => delivery.events)
  expect(events).toHaveLength(255)
  expect(new Set(events.map(({ id }) => id)).size).toBe(255)
  expect(said.err).not.toContain('not posted')
}, 600_000)

// spec: administration/import-exactly-once
test('`herald import` of 15,000 lines, 1 % of them wrong, continues after a kill and makes no device twice', async () => {
  const tenant = await givenTenant(herald)
  const file = join(home, 'users.csv')
  const lines = Array.from({ length: 15_000 }, (_, n) =>
    n % 100 === 50 ? `ios,a:wrong-${n},"${n}"` : `android,token-${n}:x,customer-${n}`,
  )
  writeFileSync(file, `platform,token,externalId\n${lines.join('\n')}\n`)
  const args = ['import', file, '--yes', '--json']
  const rowsOf = async () => {
    const { items } = ok(await tenant.admin<{ items: { state: string; dryRun: boolean; rows: number }[] }>('GET', '/imports'), 200)
    return items.find(({ state, dryRun }) => state === 'receiving' && !dryRun)?.rows ?? 0
  }

  const killed = start(tenant, args)
  await until(async () => (await rowsOf()) > 2_000, { withinMs: 300_000, what: 'the import is under way' })
  killed.child.kill('SIGKILL')
  await killed.ended
  const { code, out, err } = await run(tenant, args)

  expect(err).toContain('Going on at')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({
    state: 'finished',
    rows: 15_000,
    created: 14_850,
    kept: 0,
    rejected: 150,
    byCode: { ios_fcm_token: 150 },
  })
  expect(ok(await tenant.call('POST', '/v1/segments/preview', {}), 200)).toMatchObject({ count: 14_850 })
  const rejected = readFileSync(`${file}.rejected.csv`, 'utf8').trimEnd().split('\n')
  expect(rejected).toEqual(['platform,token,externalId', ...lines.filter((_, n) => n % 100 === 50)])
  expect(readFileSync(`${file}.rejected.txt`, 'utf8').split('\n')[0]).toMatch(/^row 51, .*\(ios_fcm_token\)$/)
  expect(statSync(`${file}.rejected.csv`).mode & 0o777).toBe(0o600)
}, 900_000)

// spec: administration/import-onesignal, administration/import-web
test('`herald import` of OneSignal’s compressed export needs no option: opt-outs stay, browsers are skipped, nothing stays open', async () => {
  const tenant = await givenTenant(herald)
  const { key } = ok(await tenant.admin<{ key: string }>('POST', '/admin-keys', { name: 'import', scopes: ['people'] }), 201)
  const env = { HERALD_TOKEN: key, HERALD_APP: '' }
  // A byte order mark, names and values in quotes where they need none, commas, quotes and line ends inside quotes, and lines that end with CR.
  const lines = [
    '\uFEFF"id","notes, ""internal""",identifier,"device_type","external_user_id",tags,invalid_identifier,"notification_types"',
    '1,"",a,"1",ann,"{""plan"":""pro, yearly""}",f,1',
    '2,"said ""no""\rtwice","b",1,"bob",,t,"1"',
    '3,,c,1,cho,,"f","-2"',
    '4,,https://fcm.googleapis.com/fcm/send/x,5,dan,,f,1',
    '5,,d,1,eve,,f,0',
    '',
  ]
  const file = join(home, 'users.csv.gz')
  writeFileSync(file, gzipSync(lines.join('\r')))

  const { code, out, err } = await run(tenant, ['import', file, '--yes'], env)

  expect(err).toContain('export of OneSignal')
  expect([out.split('\n')[0], code]).toEqual(['imported: 4 new, 0 updated, 0 kept as they are, 0 rejected of 5 rows', 0])
  expect(out).toContain('3 of the devices have opted out')
  expect(ok(await tenant.call('GET', '/v1/users/by-external-id/ann'), 200)).toMatchObject({ tags: { plan: 'pro, yearly' } })
  expect(out).toContain('1 browsers are skipped')
  expect(ok(await tenant.call('POST', '/v1/segments/preview', {}), 200)).toMatchObject({ count: 1 })

  // The header lacks a column that Herald needs, so Herald refuses the file. The next import can begin.
  writeFileSync(file, gzipSync('platform\nios\n'))
  expect((await run(tenant, ['import', file, '--from', 'csv'], env)).code).toBe(1)
  const { items } = ok(await tenant.admin<{ items: { state: string }[] }>('GET', '/imports'), 200)
  expect(items.map(({ state }) => state)).toEqual(['cancelled', 'finished', 'finished'])
}, 120_000)

// spec: administration/admin-keys, administration/admin-key-scopes
test('with an administration key `herald` needs no app, says what it may do, and names a lacking scope', async () => {
  const tenant = await givenTenant(herald)
  const { key } = ok(await tenant.admin<{ key: string }>('POST', '/admin-keys', { name: 'release', scopes: ['read', 'send'] }), 201)
  const env = { HERALD_TOKEN: key, HERALD_APP: '' }

  const whoami = await run(tenant, ['whoami', '--json'], env)
  expect(JSON.parse(whoami.out)).toMatchObject({
    url: herald.baseUrl,
    token: 'administration key',
    app: { id: tenant.appId },
    key: { name: 'release', scopes: ['read', 'send'] },
  })
  const dryRun = await run(tenant, ['send', '--all', '--title', 'Hi', '--body', 'There', '--dry-run'], env)
  expect([dryRun.code, dryRun.out]).toEqual([0, expect.stringContaining('would reach 0 devices')])
  const explain = await run(tenant, ['explain', '0'.repeat(24), 'customer-7'], env)
  expect([explain.code, explain.err]).toEqual([1, expect.stringContaining('has the scope people too')])
}, 120_000)

test('`herald doctor` reports no fault when everything is right', async () => {
  const compared = async () => {
    const headers = { authorization: `Bearer ${herald.adminToken}` }
    return (await http<{ ledgerDifference: number | null }>('GET', `${herald.baseUrl}/v1/admin/system`, { headers })).body.ledgerDifference
  }
  await until(async () => (await compared()) !== null, { withinMs: 60_000, what: 'counters and ledger are compared' })
  const { out, code } = await run(await givenTenant(herald), ['doctor'])
  expect([out.match(/(?:FAULT|\? ).*/g), code]).toEqual([null, 0])
}, 120_000)

test('`herald doctor` finds faults of the connection, the server and the app, and says what to do about each', async () => {
  const tenant = await givenTenant(herald)
  await givenDevices(tenant, 'ios', 1)
  const found = async (env: Record<string, string> = {}) => {
    const { out, code } = await run(tenant, ['doctor', '--json'], env)
    const { findings } = JSON.parse(out) as { findings: { check: string; state: string; says: string; remedy?: string }[] }
    const faults = findings.filter(({ state }) => state === 'fault')
    expect(faults.filter(({ remedy }) => remedy === undefined)).toEqual([])
    expect(code).toBe(faults.length > 0 ? 1 : findings.some(({ state }) => state === 'unknown') ? 2 : 0)
    return faults.map(({ check }) => check)
  }
  const through = async (faults: Parameters<typeof startFaultyProxy>[1]) => {
    const proxy = await startFaultyProxy(herald.baseUrl, faults)
    onTestFinished(proxy.stop)
    return found({ HERALD_URL: proxy.url })
  }
  const past = new Date(Date.now() - 600_000).toUTCString()

  // Faults of the connection, the token and the clock, and counters that differ from the ledger.
  expect(await found({ HERALD_URL: 'http://127.0.0.1:1' })).toEqual(['reachability'])
  expect(await found({ HERALD_URL: 'http://push.example.com' })).toEqual(['TLS'])
  expect(await through({ tls: makeServerCertificate(new Date(), 90) })).toEqual(['TLS'])
  expect(await found({ HERALD_TOKEN: 'of-another-herald-0123456789abcdef' })).toEqual(['token'])
  expect(await through({ headers: (headers) => ({ ...headers, date: past }) })).toEqual(['clock'])
  expect(await through({ host: 'gateway.internal:8080' })).toEqual(['proxy'])
  expect(await through({ buffers: true })).toEqual(['streams'])
  expect(await through({ json: { path: '/v1/admin/system', change: (system) => ({ ...system, ledgerDifference: 3 }) } })).toEqual([
    'ledger',
  ])
  expect(await through({ json: { path: '/v1/admin/system', change: (system) => ({ ...system, standby: 'asynchronous' }) } })).toEqual([
    'standby',
  ])

  // Faults of the app.
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const {
    environment: _environment,
    circuits: _circuits,
    former: _former,
    ...apns
  } = ok(await tenant.admin<Record<string, unknown>>('GET', '/providers/apns'), 200)
  ok(await tenant.admin('PUT', '/providers/apns?unchecked=true', { ...apns, environment: 'production', privateKey }), 200)
  expect(await found()).toEqual(['apns'])

  await sendCampaign(tenant, {}, 'sending')
  const circuits = async () => ok(await tenant.admin<{ circuits: { state: string }[] }>('GET', '/providers/apns'), 200).circuits
  await until(async () => (await circuits()).some(({ state }) => state === 'open'), { withinMs: 60_000, what: 'the circuit is open' })
  expect(await found()).toEqual(['apns', 'circuits'])

  const { id } = ok(await tenant.admin<{ id: string }>('POST', '/webhooks', { url: 'https://93.184.216.34/hooks' }), 201)
  ok(await tenant.admin('PATCH', `/webhooks/${id}`, { enabled: false }), 200)
  expect(await found()).toEqual(['apns', 'circuits', 'webhooks'])

  ok(await tenant.admin('PUT', '/providers/webpush?unchecked=true', { subject: 'mailto:me@localhost' }), 200)
  expect((await found()).toSorted()).toEqual(['VAPID subject', 'apns', 'circuits', 'webhooks'])
}, 600_000)

test('`herald doctor --device` finds an unknown or opted-out device, and the call that a client does not make', async () => {
  const tenant = await givenTenant(herald)
  const [device] = await givenDevices(tenant, 'android', 1)
  const walk = (id: string, ...more: string[]) => start(tenant, ['doctor', '--device', id, '--json', ...more])
  const faultsOf = (out: string) =>
    (JSON.parse(out) as { findings: { check: string; state: string; says: string }[] }).findings.filter(({ state }) => state === 'fault')
  const report = async (kinds: string) => {
    const msgId = await until(async () => {
      for await (const push of recordedPushes(tenant)) if (push.deviceId === device?.device.id) return push.msgId
      return undefined
    })
    for (const kind of kinds) ok(await http('POST', `${herald.baseUrl}/v1/e/${kind}/${msgId}`), 204)
  }

  const unknown = walk('0'.repeat(24))
  expect(await unknown.ended).toBe(1)
  expect(faultsOf(unknown.said.out).map(({ check }) => check)).toEqual(['registered'])

  const silent = walk(device?.id ?? '', '--within', '3')
  await until(() => silent.said.err.includes('Open the notification'), { withinMs: 60_000, what: 'the test was sent' })
  await report('d')
  expect(await silent.ended).toBe(1)
  expect(faultsOf(silent.said.out).map(({ check, says }) => [check, says.includes('/v1/e/o/')])).toEqual([['opened', true]])

  ok(await tenant.call('PATCH', `/v1/subscriptions/${device?.id}`, { optedIn: false }), 200)
  const optedOut = walk(device?.id ?? '')
  expect(await optedOut.ended).toBe(1)
  expect(faultsOf(optedOut.said.out)[0]?.says).toContain('opted out')

  const other = await givenTenant(herald)
  const [good] = await givenDevices(other, 'android', 1)
  const well = start(other, ['doctor', '--device', good?.id ?? '', '--json'])
  await until(() => well.said.err.includes('Open the notification'), { withinMs: 60_000, what: 'the test was sent' })
  for await (const push of recordedPushes(other))
    if (push.deviceId === good?.device.id)
      for (const kind of 'do') ok(await http('POST', `${herald.baseUrl}/v1/e/${kind}/${push.msgId}`), 204)
  expect(await well.ended).toBe(0)
}, 240_000)
