import type { AppName } from '@herald/contracts/call'
import { findSegment } from '@herald/contracts/calls/audience'
import { fanOutStarted } from '@herald/contracts/calls/campaigns'
import type { CreateCampaign } from '@herald/contracts/campaign'
import type { FanOutPointer } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { fanOutWork } from '@herald/contracts/topology'
import { openBus, type Bus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import type { NewCampaign } from '../store/campaigns.ts'
import type { Tables } from '../store/tables.ts'
import { wireCampaigns } from '../wire.ts'

/** All of campaigns on a real bus, without a process. */
export async function givenCampaigns({ databaseUrl, natsUrl }: { databaseUrl: string; natsUrl: string }) {
  const service = testService('campaigns', {
    NATS_URL: natsUrl,
    LOG_LEVEL: 'silent' as const,
    DATABASE_URL_CAMPAIGNS: databaseUrl,
    DATABASE_POOL_SIZE: 6,
    DEFAULT_TTL_SECONDS: 2_592_000,
    IDEMPOTENCY_RETENTION_HOURS: 24,
    RECURRING_CATCHUP_SECONDS: 3600,
    TRANSACTIONAL_RETENTION_DAYS: 90,
  })
  await wireCampaigns(service)
  return service
}

/** The bus as another app sees it. */
export const givenPeer = (name: AppName, natsUrl: string): Promise<Bus> => openBus(testService(name, { NATS_URL: natsUrl }))

/** Audience: knows these segments and hears pointers. `takesOver`: it says so, as it does when it has its fan-out row. */
export async function givenAudience(
  natsUrl: string,
  segments: Map<string, unknown>,
  { takesOver = false } = {},
): Promise<{ bus: Bus; pointers: FanOutPointer[] }> {
  const bus = await givenPeer('audience', natsUrl)
  const pointers: FanOutPointer[] = []
  bus.answer(findSegment, async ({ segmentId }) => (segments.has(segmentId) ? { definition: segments.get(segmentId) } : null))
  await bus.consume(fanOutWork, { slots: 10 }, async (pointer) => {
    pointers.push(pointer)
    if (takesOver) await bus.call(fanOutStarted, { campaignId: pointer.campaignId })
  })
  return { bus, pointers }
}

/** Two processes of campaigns, as in a rolling restart, with audience and gateway played by peers, and a look at the rows. */
export async function givenPlatform() {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('campaigns')
  const segments = new Map<string, unknown>()
  const audience = await givenAudience(natsUrl, segments, { takesOver: true })
  await givenCampaigns({ databaseUrl, natsUrl })
  await givenCampaigns({ databaseUrl, natsUrl })
  const gateway = await givenPeer('gateway', natsUrl)
  const { db } = await openDatabase<Tables>(testService('campaigns', {}), { url: databaseUrl, poolSize: 4 })
  const pointersAt = (id: string) => audience.pointers.filter(({ campaignId }) => campaignId === id).length
  const rowOf = (id: string) => db.selectFrom('campaigns').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return { db, gateway, audience, segments, pointersAt, rowOf }
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
  send: { content: givenContent(), silent: false, data: {}, ttl: 60, collapseId: null, priority: 'high', presentation: null, bypass: {} },
})

/** A fingerprint of a request, by any short text. */
export const fingerprintOf = (text: string): string => text.padEnd(64, '0')
