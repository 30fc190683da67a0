import { providerKinds } from '@herald/contracts/app'
import { invalidField } from '@herald/contracts/fault'
import { platforms } from '@herald/contracts/platform'
import { Country, ExternalId, LanguageTag, line, ObjectId, Tags, TimeZone, visible } from '@herald/contracts/text'
import { z } from 'zod'
import { baseUrlOf } from '../../core/base-url.ts'
import { pageQuery } from '../../core/page.ts'
import type { TakenPush } from '../simulate.ts'
import { addSimulatedDevice, reachOf, showPush, takeSimulatedAccount, type SimulatedDevice } from '../simulate.ts'
import { EventStream } from '../../http/event-stream.ts'
import { own, route } from '../../http/route.ts'
import { AccountTaken, SimulatedDeviceList, SimulatedDeviceRead, SimulatedPushList } from './simulator-answers.ts'

const TakeAccount = z.strictObject({ appId: ObjectId, kind: z.enum(providerKinds) })
const AddDevice = z.strictObject({
  appId: ObjectId,
  platform: z.enum(platforms),
  name: line(1, 64)
    .refine(...visible)
    .optional(),
  externalId: ExternalId.optional(),
  language: LanguageTag.optional(),
  timezone: TimeZone.optional(),
  country: Country.optional(),
  tags: Tags.optional(),
})
/** The answers that a virtual device can be told to give, by the names that the simulator has for them. */
const answers = [
  ...['ok', 'dead', 'bad_token', 'rate_limited', 'failing', 'unavailable', 'sender_mismatch'],
  ...['silent', 'slow', 'reset_after_accept', 'accepted_then_503'],
] as const
const Behaviour = z.strictObject({
  answer: z.enum(answers),
  retryAfterSeconds: z.int().min(0).max(3_600).optional(),
  delayMs: z.int().min(0).max(60_000).optional(),
  times: z.int().min(1).max(1_000).optional(),
})
const OfApp = z.strictObject({ appId: ObjectId })
const Page = z.strictObject({ appId: ObjectId, ...pageQuery })
const PushPage = z.strictObject({ ...Page.shape, deviceId: line(1, 64).optional() })

const bySimulator = { key: 'admin', scope: 'platform', faults: ['queue_unavailable'] } as const
const badCursor = () => invalidField('cursor', 'must be the nextCursor of an earlier answer')

/**
 * The routes for the part of the simulator's control API that the dashboard needs (docs/decisions/0052). Without a simulator a request that would ask
 * it is 404.
 */
export const simulator = [
  route({
    ...bySimulator,
    name: 'takeSimulatedAccount',
    method: 'post',
    path: '/v1/admin/simulator/accounts',
    body: TakeAccount,
    status: 200,
    summary: 'Give an app that has no credentials of a kind an account at the simulated provider',
    answers: AccountTaken,
    faults: ['invalid_state', 'queue_unavailable'],
    audit: own('provider.set'),
    async answer(gateway, { body: { appId, kind }, note }) {
      await takeSimulatedAccount({ ...gateway, note }, appId, kind)
      return { kind }
    },
  }),
  route({
    ...bySimulator,
    name: 'addSimulatedDevice',
    method: 'post',
    path: '/v1/admin/simulator/devices',
    body: AddDevice,
    status: 201,
    summary: 'Add a virtual phone or browser, and register it',
    description: 'It reports delivered by itself when it shows a push; opened, clicked and dismissed are up to the operator.',
    answers: SimulatedDeviceRead,
    faults: ['invalid_state', 'limit_reached', 'queue_unavailable'],
    audit: own('simulator.device-added'),
    async answer(gateway, { body: { appId, platform, name = '', ...owner }, header, note }) {
      const reportTo = baseUrlOf(gateway.installed.baseUrl, header) ?? ''
      const device = await addSimulatedDevice(gateway, appId, { platform, name, owner }, reportTo)
      await note(gateway.db, appId, { id: device.subscriptionId, platform })
      return device
    },
  }),
  route({
    ...bySimulator,
    name: 'listSimulatedDevices',
    method: 'get',
    path: '/v1/admin/simulator/devices',
    query: Page,
    status: 200,
    summary: 'List the virtual devices that an app reaches, newest first; those that an operator added come before the demo’s',
    answers: SimulatedDeviceList,
    async answer({ db, simulator: control }, { query: { appId, limit, cursor } }) {
      if (cursor !== undefined && !/^[hc]\d{1,9}$/.test(cursor)) throw badCursor()
      const query = { ...(await reachOf({ db }, appId)), limit, after: cursor }
      const { devices, next } = await control.ask<{ devices: SimulatedDevice[]; next: string | null }>('GET', '/devices', { query })
      return { items: devices, nextCursor: next }
    },
  }),
  route({
    ...bySimulator,
    name: 'setSimulatedBehaviour',
    method: 'put',
    path: '/v1/admin/simulator/devices/:deviceId/behaviour',
    body: Behaviour,
    texts: ['deviceId'],
    status: 200,
    summary: 'Say what a virtual device answers from now on: ok, dead, slow, throttled and others',
    answers: SimulatedDeviceRead,
    audit: 'nothing',
    answer: ({ simulator: control }, { params, body }) =>
      control.ask('PUT', `/devices/${encodeURIComponent(params.deviceId)}/behaviour`, { body }),
  }),
  route({
    ...bySimulator,
    name: 'removeSimulatedDevice',
    method: 'delete',
    path: '/v1/admin/simulator/devices/:deviceId',
    texts: ['deviceId'],
    status: 204,
    summary: 'Uninstall the app from a virtual device: from now on its provider answers that the token is unknown',
    audit: 'nothing',
    answer: ({ simulator: control }, { params }) => control.ask('DELETE', `/devices/${encodeURIComponent(params.deviceId)}`),
  }),
  route({
    ...bySimulator,
    name: 'listSimulatedPushes',
    method: 'get',
    path: '/v1/admin/simulator/pushes',
    query: PushPage,
    status: 200,
    summary: 'List what the virtual devices of an app got, newest first, among the newest 20,000 pushes',
    answers: SimulatedPushList,
    async answer({ db, hmacSecrets, simulator: control }, { query: { appId, deviceId, limit, cursor } }) {
      if (cursor !== undefined && !/^\d{1,12}$/.test(cursor)) throw badCursor()
      const query = { ...(await reachOf({ db }, appId)), deviceId, limit, before: cursor }
      const { pushes } = await control.ask<{ pushes: TakenPush[] }>('GET', '/pushes/newest', { query })
      const last = pushes.at(-1)
      return {
        items: pushes.map((push) => showPush(hmacSecrets, push)),
        nextCursor: pushes.length === limit && last ? String(last.seq) : null,
      }
    },
  }),
  route({
    ...bySimulator,
    name: 'watchSimulator',
    method: 'get',
    path: '/v1/admin/simulator/stream',
    query: OfApp,
    status: 200,
    summary: 'Watch what virtual devices get, as server-sent events',
    description:
      '`watching` comes first; then `push` for each push, `dropped` with how many were left out when more than 100 came in a second, and `waiting` when the simulator does not answer. `heartbeat` comes whenever nothing else came for 10 seconds.',
    mediaType: 'text/event-stream',
    answer: async ({ db, simulatorTail }, { query: { appId } }) =>
      new EventStream(await simulatorTail.open(appId, () => reachOf({ db }, appId))),
  }),
]
