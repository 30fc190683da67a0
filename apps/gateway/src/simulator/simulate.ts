import { registerSubscription } from '@herald/contracts/calls/audience'
import { providerKinds, providerOf, type ProviderKind } from '@herald/contracts/app'
import { fault } from '@herald/contracts/fault'
import type { Platform } from '@herald/contracts/platform'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { verifyMessageId } from '@herald/auth/message-id'
import type { Sealer } from '@herald/auth/seal'
import type { Bus } from '@herald/service/bus'
import type { Kysely } from 'kysely'
import { providers } from '../apps/core/providers/providers.ts'
import type { ShownContent } from '../apps/core/providers/shown-payload.ts'
import type { Changes } from '../changes.ts'
import type { Simulator } from './ask-simulator.ts'
import { getApp } from '../apps/store/apps.ts'
import { setProvider } from '../apps/manage-provider.ts'
import type { Note } from '../store/audit.ts'
import { findProvider } from '../apps/store/providers.ts'
import type { Tables } from '../store/tables.ts'

type Needs = { db: Kysely<Tables>; bus: Bus; sealer: Sealer; changes: Changes; simulator: Simulator }

/** A virtual device as the simulator shows it. */
export type SimulatedDevice = {
  id: string
  platform: Platform
  name: string | null
  byHand: boolean
  subscriptionId: string | null
  environment: string
  behaviour: { answer: string; retryAfterSeconds: number | null; delayMs: number | null }
}

/** A push as the simulator reports it. */
export type TakenPush = {
  seq: number
  /** Milliseconds since 1970, with a fraction. */
  at: number
  deviceId: string
  platform: Platform
  environment?: string
  subscriptionId: string | null
  headers: Record<string, string>
  payload: unknown
  msgId: string | null
  bytes: number
  error?: string
}

/** A push that a virtual device got: what the device shows, and the exact payload. */
export type SimulatedPush = {
  seq: number
  at: string
  deviceId: string
  platform: Platform
  environment: string
  subscriptionId: string | null
  userId: string | null
  campaignId: string | null
  variant: string | null
  msgId: string | null
  shown: ShownContent | null
  data: Record<string, string>
  headers: Record<string, string>
  bytes: number
  payload: unknown
  error: string | null
}

/** The names of an app's accounts at the providers. By them the simulator knows which virtual devices the app reaches. */
export type Reach = Record<string, string>

/** Reads the names of the accounts with which an app sends. Fault: not_found. */
export async function reachOf({ db }: { db: Kysely<Tables> }, appId: string): Promise<Reach> {
  await getApp(db, appId)
  const accounts = await Promise.all(providerKinds.map((kind) => accountOf(db, appId, kind)))
  return Object.assign({}, ...accounts)
}

async function accountOf(db: Kysely<Tables>, appId: string, kind: ProviderKind): Promise<Reach | undefined> {
  const provider = await findProvider(db, appId, kind)
  return provider && providers[kind].accountOf(provider.settings)
}

/** Gives an app without credentials of this kind an account at the simulated provider. Faults: not_found, invalid_state, queue_unavailable. */
export async function takeSimulatedAccount(needs: Needs & { note: Note }, appId: string, kind: ProviderKind): Promise<void> {
  const { db, simulator } = needs
  await getApp(db, appId)
  if (await findProvider(db, appId, kind))
    throw fault('invalid_state', `The app has ${kind} credentials. Remove them first, if the simulated ones shall take their place.`)
  const account = providers[kind].simulatedAccount(appId)
  const made = account.ask && (await simulator.ask('POST', '/accounts', { body: { kind, ...account.ask } }))
  // The app has no credentials that could be replaced, so there is nothing to check.
  await setProvider(needs, appId, { kind, body: account.body(made), unchecked: true })
}

/** A virtual device that an operator wants, with the user who owns it. */
export type NewDevice = {
  platform: Platform
  name: string
  owner: Pick<RegisterSubscription, 'externalId' | 'tags' | 'language' | 'timezone' | 'country'>
}
type MadeDevice = { id: string; token?: string; endpoint?: string; keys?: { p256dh: string; auth: string } }

/** Makes a virtual device and registers it. Faults: not_found, invalid_state, queue_unavailable, and those of a registration. */
export async function addSimulatedDevice(
  { db, bus, simulator }: Needs,
  appId: string,
  { platform, name, owner }: NewDevice,
  reportTo: string,
): Promise<SimulatedDevice> {
  await getApp(db, appId)
  const account = await accountOf(db, appId, providerOf[platform])
  if (!account)
    throw fault(
      'invalid_state',
      `The app has no ${providerOf[platform]} credentials. Take the simulated account first: POST /v1/admin/simulator/accounts.`,
    )
  const { devices } = await simulator.ask<{ devices: MadeDevice[] }>('POST', '/devices', {
    body: { platform, ...account, hand: { name, reportTo } },
  })
  const [made] = devices
  if (!made) throw new Error('the simulator made no device')
  const { id, token = '', endpoint = '', keys = { p256dh: '', auth: '' } } = made
  const about = { ...owner, deviceModel: 'virtual' }
  const subscription = platform === 'web' ? { ...about, platform, endpoint, keys } : { ...about, platform, token }
  try {
    const registered = await bus.call(registerSubscription, { appId, subscription, keyKind: 'secret' })
    return await simulator.ask('PUT', `/devices/${id}/subscription`, { body: { subscriptionId: registered.id } })
  } catch (error) {
    // A virtual device that is not registered would stay in the dashboard's list, but no push could reach it.
    await simulator.ask('DELETE', `/devices/${id}`).catch(() => undefined)
    throw error
  }
}

/** Makes what the dashboard shows of a push. The push's msgId says which user and which campaign it is for. */
export function showPush(hmacSecrets: readonly string[], { environment = '', error, ...push }: TakenPush): SimulatedPush {
  const parts = push.msgId === null ? undefined : verifyMessageId(hmacSecrets, push.msgId)
  const provider = providers[providerOf[push.platform]]
  const { shown, data } = provider.readPayload(push.payload)
  return {
    seq: push.seq,
    at: new Date(push.at).toISOString(),
    deviceId: push.deviceId,
    platform: push.platform,
    environment,
    subscriptionId: parts?.subscriptionId ?? push.subscriptionId,
    userId: parts?.userId ?? null,
    campaignId: parts?.campaignId ?? null,
    variant: parts?.variant || null,
    msgId: push.msgId,
    shown: push.payload === null ? null : shown,
    data,
    headers: push.headers,
    bytes: push.bytes,
    payload: provider.withoutToken ? provider.withoutToken(push.payload) : push.payload,
    error: error ?? null,
  }
}
