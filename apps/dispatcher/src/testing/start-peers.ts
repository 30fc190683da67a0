import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { makeVapidPair, mintApnsToken } from '@herald/auth/provider-token'
import { openSealer } from '@herald/auth/seal'
import type { ProviderCredentials, ProviderKind } from '@herald/contracts/app'
import {
  batchSubject,
  leaseMs,
  type CircuitEnvironment,
  type Decided,
  type FinishBatch,
  type FrozenSend,
  type TakeAnswer,
  type GivenBatch,
  type Recipient,
} from '@herald/contracts/batch'
import {
  finishBatch,
  finishBatches,
  flowChanged,
  renewBatch,
  takeBatch,
  takeBatches,
  takeNext,
  type TakeBatch,
} from '@herald/contracts/calls/audience'
import { apnsToken, appChanged, readCredentials } from '@herald/contracts/calls/gateway'
import { readOutcomesOfBatch, recordOutcomes } from '@herald/contracts/calls/tracker'
import type { CampaignFlow } from '@herald/contracts/campaign'
import { packIds } from '@herald/contracts/compact-ids'
import { databaseUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { groupEnds, mostPlaces, type PushEnd } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import { shortColumn, type Column, type RecipientColumns } from '@herald/contracts/recipient'
import { openBus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import type { ApnsToken } from '../providers/apns/provider-token.ts'
import type { Device, Simulator } from './start-simulator.ts'

export const topic = 'com.example.shop'
export const projectId = 'shop-project'
export const sealKeys = `k1:${randomBytes(32).toString('base64')}`
export const hmacSecret = 'a secret of the tests'
const day = '2026-01-31'

/** The outcome of a push, with its device and user. */
export type Outcome = PushEnd & { subscriptionId: string; userId: string }

/** A batch, as the test's stand-in for audience stores it. */
export type Row = {
  batchId: string
  campaignId: string
  appId: string
  platform: Platform
  lane: Lane
  /** The batch's number in its campaign. */
  no: number
  send: FrozenSend
  recipients: Recipient[]
  decided: Decided[]
  tries: number
  takes: number
  elapsedMs: number
  /** How many recipients each part of take-batch's answer has. */
  partSize: number
  leasedUntil: number
  renewals: number
  probe: boolean
  heldEnvironments: { environment: CircuitEnvironment; inMs: number }[]
  /** The answer to a take waits until this promise resolves. */
  answered: Promise<unknown> | null
  /** The circuit and credentials that the dispatcher named each time it asked for a part of the batch. */
  asked: { environment: CircuitEnvironment; credentialsVersion: number | null }[]
  finished: FinishBatch[]
}

/** Stand-ins for gateway, audience and tracker on a real nats-server. They keep their data in memory instead of tables. */
export type Peers = Awaited<ReturnType<typeof startPeers>>

export async function startPeers(natsUrl: string, simulator: Simulator) {
  const config = { NATS_URL: natsUrl }
  const [gateway, audience, tracker] = await Promise.all(
    (['gateway', 'audience', 'tracker'] as const).map((name) => openBus(testService(name, config))),
  )
  if (!gateway || !audience || !tracker) throw new Error('no bus')

  const accounts = await makeAccounts(simulator)
  const credentials = new Map<string, ProviderCredentials | null>()
  const askedCredentials: string[] = []
  gateway.answer(readCredentials, async ({ appId, kind, candidateId }) => {
    const of = candidateId === undefined ? appId : candidateId
    askedCredentials.push(`${of}/${kind}`)
    const own = credentials.get(`${of}/${kind}`)
    return { credentials: own === undefined ? accounts.credentials[kind] : own }
  })
  const apnsTokens = new Map<string, (refused: string | null) => ApnsToken>()
  gateway.answer(
    apnsToken,
    async ({ appId, refused, candidateId }) => apnsTokens.get(candidateId ?? appId)?.(refused) ?? accounts.apnsToken(new Date()),
  )

  const state = {
    trackerIsAway: false,
    audienceIsAway: false,
    /** How many batches each call of take-batches and finish-batches carried. */
    takenTogether: [] as number[],
    finishedTogether: [] as number[],
    /** The ids of batches that cannot be taken in a call with others. */
    locked: new Set<string>(),
  }
  const rows = new Map<string, Row>()
  const take = async ({ batchId, knowsSend, from, takes, environment, credentialsVersion }: TakeBatch): Promise<TakeAnswer> => {
    if (state.audienceIsAway) throw databaseUnavailable()
    const row = rows.get(batchId)
    if (!row || row.finished.length > 0) return { answer: 'gone' }
    row.asked.push({ environment, credentialsVersion })
    if (takes === null) {
      if (row.leasedUntil > performance.now()) return { answer: 'busy' }
      row.takes += 1
      row.leasedUntil = performance.now() + leaseMs
    } else if (takes !== row.takes) return { answer: 'gone' }
    await row.answered
    return read(row, from, knowsSend)
  }
  /** Gives what a batch holds from the push `from` on. */
  const read = (row: Row, from: number, knowsSend: boolean): TakeAnswer => {
    const { batchId, campaignId, appId, platform, lane, no, tries, elapsedMs, send, probe, heldEnvironments } = row
    const rest = row.recipients.slice(from)
    const recipients = rest.slice(0, row.partSize)
    const more = recipients.length < rest.length
    const queuedAt = new Date(Date.now() - elapsedMs).toISOString()
    const frozen = knowsSend ? null : send
    const about = { batchId, campaignId, appId, platform, lane, day, no, takes: row.takes, tries, queuedAt, elapsedMs, send: frozen, more }
    return { answer: 'taken', ...about, probe, heldEnvironments, recipients: columnsOf(recipients), decided: more ? [] : row.decided }
  }
  audience.answer(takeBatch, take)
  audience.answer(takeBatches, async ({ batches }) => {
    state.takenTogether.push(batches.length)
    const answerOne = (one: TakeBatch) =>
      state.locked.has(one.batchId) ? Promise.resolve({ failed: 'queue_unavailable' as const }) : take(one)
    return { answers: await Promise.all(batches.map(answerOne)) }
  })
  const waiting = new Set<(batches: GivenBatch[]) => void>()
  const untilOneWaits = () => until(() => waiting.size > 0, { what: 'a dispatcher waits for batches' })
  audience.answer(takeNext, () => {
    const { promise, resolve } = Promise.withResolvers<{ batches: GivenBatch[]; by: string; at: number }>()
    const end = (batches: GivenBatch[]) => {
      clearTimeout(timer)
      waiting.delete(end)
      resolve({ batches, by: 'audience', at: performance.now() })
    }
    const timer = setTimeout(() => end([]), 500)
    waiting.add(end)
    return promise
  })
  audience.answer(renewBatch, async ({ batchId, takes }) => {
    if (state.audienceIsAway) throw databaseUnavailable()
    const row = rows.get(batchId)
    if (!row || row.takes !== takes || row.finished.length > 0) return { held: false }
    row.renewals += 1
    row.leasedUntil = performance.now() + leaseMs
    return { held: true }
  })
  const finishOne = async (finish: FinishBatch): Promise<{ answer: 'done' | 'lost' }> => {
    if (state.audienceIsAway) throw databaseUnavailable()
    const row = rows.get(finish.batchId)
    if (!row || row.takes !== finish.takes || row.finished.length > 0) return { answer: 'lost' }
    row.finished.push(finish)
    return { answer: 'done' }
  }
  audience.answer(finishBatch, finishOne)
  audience.answer(finishBatches, async ({ batches }) => {
    state.finishedTogether.push(batches.length)
    return { answers: (await Promise.all(batches.map(finishOne))).map(({ answer }) => answer) }
  })

  const ledger = new Map<string, PushEnd>()
  /** The campaigns whose outcomes were reported as outcomes of a test. */
  const toldAsTests = new Set<string>()
  const keyOf = (campaignId: string, no: number, place: number) => `${campaignId}/${no}/${place}`
  tracker.answer(recordOutcomes, async ({ batches }) => {
    if (state.trackerIsAway) throw databaseUnavailable()
    let recorded = 0
    for (const { campaignId, no, results, test } of batches) {
      if (test) toldAsTests.add(campaignId)
      for (const { places, ...end } of results) {
        for (const place of places) {
          const key = keyOf(campaignId, no, place)
          if (ledger.has(key)) continue
          ledger.set(key, { ...end, place })
          recorded += 1
        }
      }
    }
    return { recorded }
  })
  tracker.answer(readOutcomesOfBatch, async ({ campaignId, no }) => {
    const at = new Date().toISOString()
    const found = Array.from({ length: mostPlaces }, (_, place) => ledger.get(keyOf(campaignId, no, place)) ?? [])
    return { results: groupEnds(found.flat()).map((end) => ({ ...end, at })) }
  })

  const appId = newId()
  const point = (row: Row) => {
    const { batchId, campaignId, platform, lane } = row
    const batches = [{ batchId, campaignId, appId: row.appId }]
    return audience.publish(batchSubject(platform, lane), { batches }, `${batchId}.${crypto.randomUUID()}`)
  }
  /** Publishes one message that points at several small batches of a platform and lane. */
  const pointTogether = (of: Row[]) => {
    const [first] = of
    if (!first) throw new Error('no batch to point at')
    const batches = of.map(({ batchId, campaignId, appId, recipients }) => ({ batchId, campaignId, appId, size: recipients.length }))
    return audience.publish(batchSubject(first.platform, first.lane), { batches }, `${first.batchId}.${crypto.randomUUID()}`)
  }
  return {
    appId,
    pointTogether,
    accounts,
    apnsTokens,
    ledger,
    toldAsTests,
    state,
    point,
    askedCredentials,
    changeCredentials(ofApp: string, kind: ProviderKind, changed: ProviderCredentials | null) {
      credentials.set(`${ofApp}/${kind}`, changed)
      gateway.broadcast(appChanged, { appId: ofApp })
    },
    changeFlow: (campaignId: string, flow: CampaignFlow) => audience.broadcast(flowChanged, { campaignId, flow }),
    /** Queues a batch for these devices, and publishes no pointer to it. */
    queue(platform: Platform, devices: Device[], change: Partial<Row> = {}, send: Partial<FrozenSend> = {}): Row {
      const campaignId = change.campaignId ?? newId()
      const row: Row = {
        batchId: newId(),
        campaignId,
        appId,
        platform,
        lane: 'prompt',
        no: 1,
        send: { ...givenSend(change.appId ?? appId, campaignId), ...send },
        recipients: devices.map((device, place) => recipientOf(device, place)),
        decided: [],
        tries: 0,
        takes: 0,
        elapsedMs: 0,
        partSize: 500,
        leasedUntil: 0,
        renewals: 0,
        probe: false,
        heldEnvironments: [],
        answered: null,
        asked: [],
        finished: [],
        ...change,
      }
      rows.set(row.batchId, row)
      return row
    },
    /** Resolves once a dispatcher waits for small batches. */
    untilOneWaits,
    /** Ends the waits of dispatchers that were killed, so that no batch is given to one of them. */
    endWaits: () => waiting.forEach((end) => end([])),
    /** Gives batches to a dispatcher that waits for small batches, with what they hold or without. */
    async give(given: Row[], { withContent = false } = {}) {
      await untilOneWaits()
      const [end] = waiting
      if (!end) throw new Error('no dispatcher waits')
      waiting.delete(end)
      for (const row of given) {
        row.takes += 1
        row.leasedUntil = performance.now() + leaseMs
      }
      end(
        given.map((row) => ({
          ...{
            batchId: row.batchId,
            campaignId: row.campaignId,
            appId: row.appId,
            platform: row.platform,
            lane: row.lane,
            takes: row.takes,
          },
          size: row.recipients.length,
          ...(withContent && { content: read(row, 0, false) }),
        })),
      )
    },
    /** Gives the outcomes of a batch in the order of its recipients. */
    outcomesOf: (row: Row): Outcome[] =>
      row.recipients.flatMap(({ place, subscriptionId, userId }) => {
        const end = ledger.get(keyOf(row.campaignId, row.no, place))
        return end ? [{ ...end, subscriptionId, userId }] : []
      }),
    endOf: (row: Row, place: number): PushEnd | undefined => ledger.get(keyOf(row.campaignId, row.no, place)),
    settle(row: Row, end: PushEnd) {
      ledger.set(keyOf(row.campaignId, row.no, end.place), end)
    },
  }
}

export const givenSend = (appId: string, campaignId: string): FrozenSend => ({
  campaignId,
  appId,
  name: 'spring',
  transactional: true,
  content: { _default: 'en', en: { title: 'Hello {{ user.externalId }}', body: 'Your order is on its way.' } },
  silent: false,
  data: { order: '17' },
  ttl: 3600,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
})

const recipientOf = (device: Device, place: number): Recipient => ({
  place,
  subscriptionId: newId(),
  userId: newId(),
  address: device.token ?? device.endpoint ?? '',
  keys: device.keys ?? null,
  tokenVersion: 1,
  environment: null,
  language: 'en',
  timezone: null,
  user: { externalId: 'anna' },
  tags: {},
  subscription: {},
})

/** Makes accounts at the simulated providers, and the credentials that the gateway would give dispatchers for them. */
export async function makeAccounts(simulator: Simulator) {
  const sealer = openSealer(sealKeys)
  const team = { teamId: 'TEAM123456', keyId: 'KEY1234567' }
  const { privateKey } = await simulator.control<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', ...team, bundleId: topic })
  const account = await simulator.control<{ client_email: string; private_key: string; token_uri: string }>('POST', '/accounts', {
    kind: 'fcm',
    projectId,
  })
  const vapid = makeVapidPair()
  const [fcmContext, webContext] = ['test/fcm', 'test/webpush']
  const credentials = {
    apns: { kind: 'apns', version: 1, ...team, bundleId: topic, environment: 'production' },
    fcm: {
      kind: 'fcm',
      version: 1,
      projectId,
      clientEmail: account.client_email,
      tokenUri: account.token_uri,
      sealedPrivateKey: sealer.seal(account.private_key, fcmContext),
      sealContext: fcmContext,
    },
    webpush: {
      kind: 'webpush',
      version: 1,
      subject: 'mailto:ops@example.com',
      publicKey: vapid.publicKey,
      sealedPrivateKey: sealer.seal(vapid.privateKey, webContext),
      sealContext: webContext,
    },
  } satisfies Record<ProviderKind, ProviderCredentials>
  const tokens = new Map<string, ApnsToken>()
  return {
    credentials,
    vapid,
    /** Gives one token of the team's key for each minute, and one single token for all other keys. */
    apnsToken(mintedAt: Date, key: string | KeyObject = privateKey): ApnsToken {
      const name = typeof key === 'string' ? mintedAt.toISOString().slice(0, 16) : 'foreign'
      const token = tokens.get(name) ?? {
        token: mintApnsToken({ ...team, privateKey: key, now: mintedAt }),
        mintedAt: mintedAt.toISOString(),
      }
      tokens.set(name, token)
      return token
    },
  }
}

/** Gives an app credentials with a key that the provider does not know, so that the provider refuses every push of the app. */
export function giveForeignKey(peers: Peers, platform: Platform, appId: string): void {
  const { accounts } = peers
  const seal = (key: string) => ({ sealedPrivateKey: openSealer(sealKeys).seal(key, 'foreign'), sealContext: 'foreign' })
  switch (platform) {
    case 'ios': {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const token = accounts.apnsToken(new Date(), privateKey)
      peers.apnsTokens.set(appId, () => token)
      break
    }
    case 'android': {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      peers.changeCredentials(appId, 'fcm', { ...accounts.credentials.fcm, ...seal(pem) })
      break
    }
    case 'web': {
      const { publicKey, privateKey } = makeVapidPair()
      peers.changeCredentials(appId, 'webpush', { ...accounts.credentials.webpush, publicKey, ...seal(privateKey) })
    }
  }
}

function columnsOf(recipients: readonly Recipient[]): RecipientColumns {
  const column = <Value>(read: (recipient: Recipient) => Value) => shortColumn(recipients.map(read))
  return {
    places: recipients.map(({ place }) => place),
    firstPlace: 0,
    subscriptionIds: packIds(recipients.map(({ subscriptionId }) => subscriptionId)),
    userIds: packIds(recipients.map(({ userId }) => userId)),
    addresses: recipients.map(({ address }) => address),
    p256dh: column(({ keys }) => keys?.p256dh ?? null),
    auth: column(({ keys }) => keys?.auth ?? null),
    tokenVersions: recipients.map(({ tokenVersion }) => tokenVersion),
    environments: column(({ environment }) => environment),
    languages: column(({ language }) => language),
    timezones: column(({ timezone }) => timezone),
    user: byName(recipients.map(({ user }) => user)),
    tags: byName(recipients.map(({ tags }) => tags)),
    subscription: byName(recipients.map(({ subscription }) => subscription)),
  }
}

function byName<Value>(records: Readonly<Record<string, Value>>[]): Record<string, Column<Value | null>> {
  const names = new Set(records.flatMap((record) => Object.keys(record)))
  return Object.fromEntries([...names].map((name) => [name, records.map((record) => record[name] ?? null)]))
}
