import type { AppName } from '@herald/contracts/call'
import { findSegment } from '@herald/contracts/calls/audience'
import type { FanOutPointer } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { fanOutWork } from '@herald/contracts/topology'
import { openBus, type Bus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import type { NewNotification } from '../store/campaigns.ts'
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
    TRANSACTIONAL_RETENTION_DAYS: 90,
  })
  await wireCampaigns(service)
  return service
}

/** The bus as another app sees it. */
export const givenPeer = (name: AppName, natsUrl: string): Promise<Bus> => openBus(testService(name, { NATS_URL: natsUrl }))

/** Audience: knows these segments and hears pointers. */
export async function givenAudience(natsUrl: string, segments: Map<string, unknown>): Promise<{ bus: Bus; pointers: FanOutPointer[] }> {
  const bus = await givenPeer('audience', natsUrl)
  const pointers: FanOutPointer[] = []
  bus.answer(findSegment, async ({ segmentId }) => (segments.has(segmentId) ? { definition: segments.get(segmentId) } : null))
  await bus.consume(fanOutWork, { slots: 10 }, async (pointer) => void pointers.push(pointer))
  return { bus, pointers }
}

export const givenContent = (body = 'It is ready.') => ({ _default: 'en', en: { title: 'Order', body } })

export const givenNotification = (fields: Partial<SendNotification> = {}): SendNotification => ({
  target: { externalIds: ['ada'] },
  content: givenContent(),
  ...fields,
})

export const givenStored = (id = newId()): NewNotification => ({
  id,
  appId: newId(),
  target: { kind: 'all' },
  templateId: null,
  segmentId: null,
  send: { content: givenContent(), silent: false, data: {}, ttl: 60, collapseId: null, priority: 'high', presentation: null, bypass: {} },
})

/** A fingerprint of a request, by any short text. */
export const fingerprintOf = (text: string): string => text.padEnd(64, '0')
