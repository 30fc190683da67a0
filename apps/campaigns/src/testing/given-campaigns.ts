import { changeFlow, findSegment, listTimeZones, startSends, type FrozenSmallSend } from '@herald/contracts/calls/audience'
import {
  cancelCampaign,
  createCampaign,
  failCampaign,
  fanOutStarted,
  pauseCampaign,
  sendCampaign,
  settleCampaigns,
} from '@herald/contracts/calls/campaigns'
import type { CreateCampaign, Experiment, Schedule, FlowChange } from '@herald/contracts/campaign'
import type { FanOutPointer } from '@herald/contracts/batch'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import type { CampaignStatus } from '@herald/contracts/stats'
import { fanOutWork } from '@herald/contracts/topology'
import type { Bus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats, testNatsPassword } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import type { NewCampaign } from '../store/campaigns.ts'
import type { Tables } from '../store/tables.ts'
import { startCampaigns } from '../start.ts'

/** Starts campaigns in the process of the test, on a real bus and a real database. */
export async function givenCampaigns({ databaseUrl, natsUrl }: { databaseUrl: string; natsUrl: string }) {
  const service = testService('campaigns', {
    NATS_URL: natsUrl,
    NATS_PASSWORD: testNatsPassword,
    HOST: '127.0.0.1',
    OBSERVE_PORT: 0,
    LOG_LEVEL: 'silent' as const,
    DATABASE_URL_CAMPAIGNS: databaseUrl,
    DATABASE_POOL_SIZE: 6,
    DATABASE_POOLER: 'none' as const,
    DEFAULT_TTL_SECONDS: 2_592_000,
    IDEMPOTENCY_RETENTION_HOURS: 24,
    LEDGER_RETENTION_DAYS: 90,
    PAUSE_MAX_DAYS: 30,
    RECURRING_CATCHUP_SECONDS: 3600,
    TRANSACTIONAL_RETENTION_DAYS: 90,
  })
  await startCampaigns(service)
  return service
}

/** A stand-in for audience. A test may change its fields at any time. */
export type GivenAudience = {
  bus: Bus
  /** Every send that audience got, by a pointer or in a call. */
  pointers: FanOutPointer[]
  /** The sends that audience got in a call. */
  handedOver: FrozenSmallSend[]
  /** Tells campaigns that audience has the fan-out rows of these campaigns. */
  takeOver: (campaignIds: string[]) => Promise<void>
  /** Audience fails at a call with such a send. */
  refuses: (small: FrozenSmallSend) => boolean
  /** While true, audience refuses sends that come in a call. */
  refusesSends: boolean
  /** While true, audience tells campaigns of a fan-out row as soon as it gets a send. */
  takesOver: boolean
  /** The campaigns of which audience has fan-out rows, with the flow that campaigns answered for each. */
  rows: Map<string, FlowChange | null>
  /** The changes of flow that audience was told, also those that it refused. */
  flows: (FlowChange & { campaignId: string })[]
  /** While true, audience refuses changes of flow with queue_unavailable. */
  isAway: boolean
  /** The time zones of audience's users. */
  zones: string[]
}

export async function givenAudience(natsUrl: string, segments: Map<string, unknown>, { takesOver = false } = {}): Promise<GivenAudience> {
  const bus = await givenPeer('audience', natsUrl)
  const takeOver = async (campaignIds: string[]) => {
    const { flows } = await bus.call(fanOutStarted, { campaignIds })
    campaignIds.forEach((campaignId, index) => audience.rows.set(campaignId, flows[index] ?? null))
  }
  const audience: GivenAudience = {
    bus,
    takeOver,
    pointers: [],
    handedOver: [],
    refuses: () => false,
    refusesSends: false,
    takesOver,
    rows: new Map(),
    flows: [],
    isAway: false,
    zones: [],
  }
  bus.answer(findSegment, async ({ segmentId }) => (segments.has(segmentId) ? { definition: segments.get(segmentId) } : null))
  bus.answer(listTimeZones, async () => ({ zones: audience.zones }))
  bus.answer(changeFlow, async (change) => {
    audience.flows.push(change)
    if (audience.isAway) throw queueUnavailable()
    return { known: audience.rows.has(change.campaignId), ...(change.perMinute ? { left: 1_200 } : {}) }
  })
  const hear = async (campaignIds: string[], page: number) => {
    for (const campaignId of campaignIds) audience.pointers.push({ campaignId, page })
    if (audience.takesOver) await takeOver(campaignIds)
  }
  bus.consume(fanOutWork, { atOnce: 10 }, ({ campaignId, page }) => hear([campaignId], page))
  bus.answer(startSends, async ({ sends }) => {
    if (audience.refusesSends) throw queueUnavailable()
    if (sends.some(audience.refuses)) throw new Error('refused by the test')
    audience.handedOver.push(...sends)
    void hear(
      sends.map(({ send }) => send.campaignId),
      0,
    )
    return {}
  })
  return audience
}

/**
 * Starts two instances of campaigns in the process of the test, which share a database and NATS like two processes in a rolling restart. The test
 * plays audience and the gateway, and may read the rows.
 */
export async function givenPlatform() {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('campaigns')
  const segments = new Map<string, unknown>()
  const audience = await givenAudience(natsUrl, segments, { takesOver: true })
  const processes = [await givenCampaigns({ databaseUrl, natsUrl }), await givenCampaigns({ databaseUrl, natsUrl })]
  const gateway = await givenPeer('gateway', natsUrl)
  const { db } = await openDatabase<Tables>(testService('campaigns', {}), { url: databaseUrl, poolSize: 4 })
  const pointersAt = (id: string) => audience.pointers.filter(({ campaignId }) => campaignId === id).length
  const rowOf = (id: string) => db.selectFrom('campaigns').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  /** Sums a measurement over both instances. `line` is its name and labels as the scrape prints them; a measurement that a scrape lacks counts 0. */
  const measured = async (line: string) => {
    const scrapes = await Promise.all(processes.map(({ metrics }) => metrics.text()))
    const values = scrapes.map((scrape) => scrape.split('\n').find((one) => one.startsWith(`${line} `)))
    return values.reduce((sum, value) => sum + Number(value?.slice(line.length) ?? 0), 0)
  }
  const campaignIn = async (status: CampaignStatus, appId: string, fields: Partial<CreateCampaign> = {}): Promise<string> => {
    const campaign = givenCampaign({ schedule: scheduleFor(status), ...fields })
    const { id: campaignId } = await gateway.call(createCampaign, { appId, idempotency: null, campaign })
    if (status === 'cancelled') await gateway.call(cancelCampaign, { appId, campaignId })
    if (status === 'draft' || status === 'cancelled') return campaignId
    await gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'UTC' })
    if (status === 'scheduled' || status === 'active') return campaignId
    await until(() => audience.rows.has(campaignId), { what: 'audience has taken the send over' })
    if (status === 'paused') await gateway.call(pauseCampaign, { appId, campaignId })
    if (status === 'sent') await gateway.call(settleCampaigns, { campaignIds: [campaignId] })
    if (status === 'failed') await gateway.call(failCampaign, { campaignId, code: 'invalid_segment', message: 'It does not compile.' })
    return campaignId
  }
  return { db, databaseUrl, natsUrl, gateway, audience, segments, pointersAt, rowOf, measured, campaignIn }
}
function scheduleFor(status: CampaignStatus): Schedule {
  const at = new Date(Date.now() + 43_200_000).toISOString()
  if (status === 'scheduled') return { type: 'at', at }
  return status === 'active' ? { type: 'recurring', every: 'day', localTime: at.slice(11, 16), timezone: 'UTC' } : { type: 'now' }
}

export type Platform = Awaited<ReturnType<typeof givenPlatform>>

export const givenContent = (body = 'It is ready.') => ({ _default: 'en', en: { title: 'Order', body } })

export const givenNotification = (fields: Partial<SendNotification> = {}): SendNotification => ({
  target: { externalIds: ['ada'] },
  content: givenContent(),
  ...fields,
})

export const givenCampaign = (fields: Partial<CreateCampaign> = {}): CreateCampaign => ({
  name: 'Autumn',
  schedule: { type: 'now' },
  content: givenContent(),
  ...fields,
})

export const givenStored = (id = newId()): NewCampaign => ({
  id,
  appId: newId(),
  name: 'notification',
  status: 'sending',
  transactional: true,
  target: { kind: 'all' },
  templateId: null,
  segmentId: null,
  schedule: null,
  experiment: null,
  send: {
    content: givenContent(),
    silent: false,
    data: {},
    ttl: 60,
    collapseId: null,
    priority: 'high',
    presentation: null,
    overrides: null,
    perMinute: null,
    bypass: {},
  },
})

export const givenExperiment = (sampleRate = 0.5): Experiment => ({
  sampleRate,
  variants: ['a', 'b'].map((id) => ({ id, name: id.toUpperCase(), weight: 1, content: givenContent(`It is ${id}.`) })),
})

export const fingerprintOf = (text: string): string => text.padEnd(64, '0')
