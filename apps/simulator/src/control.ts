import { knownAnswer } from '@herald/contracts/provider-answers'
import * as z from 'zod'
import { makeApnsAccount, makeFcmAccount } from './accounts.ts'
import { behaviours } from './behaviour.ts'
import { check, ControlError, serveRoutes, type ControlAddress, type Route } from './control-http.ts'
import { handRoutes, reach, shownDevice, type Controlled } from './control-hand.ts'
import { kinds } from './devices.ts'
import { services } from './faults.ts'
import { environments, platforms, type Device } from './device-kind.ts'

const text = z.string().min(1)
const share = z.number().min(0).max(1)

const NewAccount = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('apns'), teamId: text, keyId: text, bundleId: text }),
  z.strictObject({
    kind: z.literal('web-push'),
    publicKey: z.string().regex(/^[\w-]{87}$/, 'must be an uncompressed P-256 point in base64url'),
  }),
  z.strictObject({ kind: z.literal('fcm'), projectId: z.string().regex(/^[\w.:-]+$/) }),
])

const known = z.string().refine((name) => knownAnswer(name) !== undefined, 'no real service is known to answer this')
const behaviourFields = {
  answer: z.enum(behaviours),
  known: known.optional(),
  retryAfter: z.string().optional(),
  retryAfterSeconds: z.number().int().min(0).optional(),
  delayMs: z.number().min(0).optional(),
  times: z.number().int().min(1).optional(),
}
const NewBehaviour = z.strictObject(behaviourFields).refine(({ answer, known }) => answer !== 'known' || known !== undefined, {
  path: ['known'],
  message: 'must name the answer',
})
const BehaviourOfMany = z.strictObject({
  ...behaviourFields,
  ids: z.array(text).optional(),
  platform: z.enum(platforms).optional(),
  share: share.default(1),
})

const NewDevices = z.strictObject({
  platform: z.enum(platforms),
  /** The largest comparison with peers asks for 100,000 at once; an answer with as many browsers has 30 MB. */
  count: z.number().int().min(1).max(100_000).default(1),
  environment: z.enum(environments).default('production'),
  ...reach,
  keyPool: z.number().int().min(1).optional(),
  /** Whether phones of Android have the id of a Firebase installation in place of a registration token. */
  installationIds: z.boolean().optional(),
  /** The host of a browser's push service. Herald must reach it at the simulator, through a proxy or a name server of its own. */
  host: z.hostname().optional(),
  behaviour: NewBehaviour.optional(),
  /** Set for a device that an operator uses: the operator taps pushes, and the device itself reports only that it showed them. */
  hand: z.strictObject({ name: z.string().max(64), reportTo: z.url() }).optional(),
})

const NewFaults = z.strictObject({
  service: z.enum(services).optional(),
  latencyMs: z.number().min(0).optional(),
  goawayEvery: z.number().int().min(0).optional(),
  refuseStreamShare: share.optional(),
  resetStreamShare: share.optional(),
  stallWindows: z.boolean().optional(),
  outage: z
    .union(
      [z.literal('503'), z.literal('refuse'), z.literal(503).transform(() => '503' as const), z.null()],
      'must be 503, "refuse" or null',
    )
    .optional(),
  lateWindows: z.boolean().optional(),
  answer: known.nullable().optional(),
  only: z.strictObject({ host: text.optional(), key: text.optional() }).nullable().optional(),
  /** How many messages a minute FCM takes from each project; null for as many as come. */
  quota: z
    .strictObject({ perMinute: z.number().int().min(1) })
    .nullable()
    .optional(),
  record: z.enum(['full', 'counts']).optional(),
  providerTokenUpdates: z.number().int().min(1).optional(),
})

const whole = z.coerce.number().int().min(0)
const PushQuery = z.strictObject({
  platform: z.enum(platforms).optional(),
  deviceId: text.optional(),
  after: whole.default(0),
  limit: whole.max(10_000).default(1000),
})

const concurrency = z.number().int().min(1).max(256)
const baseUrl = z.url().transform((url) => url.replace(/\/$/, ''))
const NewCrowd = z.strictObject({
  baseUrl,
  appKey: text,
  devices: z.union([z.array(text), z.literal('all')], 'must be a list of ids or "all"').default('all'),
  externalIdPrefix: z.string().optional(),
  concurrency: concurrency.default(16),
})
const NewReports = z.strictObject({
  baseUrl,
  delivered: share,
  opened: share,
  clicked: share.default(0),
  dismissed: share.default(0),
  concurrency: concurrency.default(16),
})

/** Serves the control API: plain HTTP and JSON, described in the README. */
export function listenForControl(at: ControlAddress, parts: Controlled) {
  const { devices, recording, faults, quota, crowd, listeners, accessTokens, providerTokens } = parts
  const deviceOf = (id: string): Device => {
    const device = devices.byId(id)
    if (!device) throw new ControlError(`id: there is no device ${id}`)
    return device
  }

  const routes: Route[] = [
    ...handRoutes(parts, deviceOf),
    ['POST', '/accounts', ({ body }) => makeAccount(parts, check(NewAccount, body))],
    ['POST', '/devices', ({ body }) => makeDevices(parts, check(NewDevices, body))],
    ['PUT', '/devices/behaviour', ({ body }) => behaveMany(parts, check(BehaviourOfMany, body), deviceOf)],
    [
      'PUT',
      '/devices/:id/behaviour',
      ({ parameters: [id = ''], body }) => {
        const device = deviceOf(id)
        setBehaviour(device, check(NewBehaviour, body))
        return shownDevice(device)
      },
    ],
    ['GET', '/devices/:id/kept', ({ parameters: [id = ''] }) => ({ pushes: deviceOf(id).kept.map(({ seq }) => recording.read(seq)) })],
    [
      'PUT',
      '/faults',
      ({ body }) => {
        const { service, record, providerTokenUpdates, quota: wantedQuota, ...changes } = check(NewFaults, body)
        faults.set(service, Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)))
        if (record) recording.keep(record)
        if (wantedQuota !== undefined) quota.set(wantedQuota?.perMinute ?? null)
        if (providerTokenUpdates) providerTokens.setAllowance(providerTokenUpdates)
        if (changes.outage === 'refuse')
          for (const listener of Object.values(listeners))
            if ((service ?? listener.service) === listener.service) listener.dropConnections()
        return { faults: faults.all(), record: recording.mode() }
      },
    ],
    [
      'DELETE',
      '/faults',
      () => {
        faults.clear()
        quota.set(null)
      },
    ],
    ['GET', '/faults', () => ({ faults: faults.all(), record: recording.mode() })],
    ['GET', '/pushes', ({ query }) => ({ pushes: recording.page(check(PushQuery, query)) })],
    [
      'GET',
      '/summary',
      async ({ query }) => {
        // Decrypts all web pushes first, because only then it is known which are copies. That takes time, so a benchmark that asks while it runs
        // passes `open=false`.
        if (query['open'] !== 'false') await recording.openAll()
        const { user, system } = process.cpuUsage()
        return {
          ...recording.summary(),
          providerTokens: providerTokens.shown(),
          accessTokens: accessTokens.count(),
          refusedByQuota: quota.refused(),
          connections: mapValues(listeners, (listener) => listener.connections()),
          protocolErrors: mapValues(listeners, (listener) => listener.protocolErrors()),
          cpuSeconds: (user + system) / 1e6,
          rssBytes: process.memoryUsage.rss(),
        }
      },
    ],
    [
      'POST',
      '/reset',
      () => {
        recording.reset()
        for (const device of devices.all()) device.kept = []
        faults.clear()
        quota.set(null)
        providerTokens.reset()
        crowd.reset()
      },
    ],
    [
      'POST',
      '/crowd',
      ({ body }) => {
        const { devices: ids, ...registration } = check(NewCrowd, body)
        return crowd.register({
          ...registration,
          devices: ids === 'all' ? devices.all().filter(({ hand }) => hand === undefined) : ids.map(deviceOf),
          webPushOrigin: parts.webPushOrigin,
        })
      },
    ],
    [
      'PUT',
      '/crowd/reports',
      ({ body }) => {
        crowd.setReports(check(NewReports, body))
        return crowd.state()
      },
    ],
    ['DELETE', '/crowd/reports', () => crowd.setReports(undefined)],
    ['GET', '/crowd', () => crowd.state()],
  ]
  return serveRoutes(at, routes)
}

async function makeAccount({ accounts, state, tokenUri }: Controlled, wanted: z.infer<typeof NewAccount>) {
  if (wanted.kind === 'web-push') return accounts.setApplicationServerKey(wanted.publicKey)
  if (wanted.kind === 'apns') {
    const { account, privateKey } = await makeApnsAccount(wanted.teamId, wanted.keyId, wanted.bundleId)
    accounts.add(account)
    state.saveAccount(account)
    return { privateKey }
  }
  const { account, serviceAccount } = await makeFcmAccount(wanted.projectId, tokenUri)
  accounts.add(account)
  state.saveAccount(account)
  return serviceAccount
}

function makeDevices({ accounts, devices, state, webPushOrigin }: Controlled, wanted: z.infer<typeof NewDevices>) {
  const make = kinds[wanted.platform].maker(accounts, wanted)
  const made = Array.from({ length: wanted.count }, () => devices.add(make()))
  for (const device of made) {
    if (wanted.behaviour) setBehaviour(device, wanted.behaviour)
    if (wanted.hand) device.hand = { name: wanted.hand.name, reportTo: wanted.hand.reportTo.replace(/\/$/, '') }
  }
  state.saveDevices(made)
  return {
    devices: made.map((device) => ({
      id: device.id,
      platform: device.platform,
      ...kinds[device.platform].registrationOf(device, webPushOrigin),
    })),
  }
}

function setBehaviour(device: Device, behaviour: z.infer<typeof NewBehaviour>): void {
  device.behaviour = behaviour.answer === 'ok' && behaviour.delayMs === undefined ? undefined : { ...behaviour, since: Date.now() }
}

function behaveMany({ devices }: Controlled, wanted: z.infer<typeof BehaviourOfMany>, deviceOf: (id: string) => Device) {
  const { ids, platform, share, ...behaviour } = wanted
  const candidates = ids?.map(deviceOf) ?? devices.all()
  const chosen = candidates.filter((device) => (platform === undefined || device.platform === platform) && Math.random() < share)
  for (const device of chosen) setBehaviour(device, behaviour)
  return { changed: chosen.length }
}

const mapValues = <T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
