import type { AppName } from '@herald/contracts/call'
import { confirmAudienceAnnouncements } from '@herald/contracts/calls/audience'
import { confirmTrackerAnnouncements } from '@herald/contracts/calls/tracker'
import type { Announcement } from '@herald/contracts/event'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { openBus } from '@herald/service/bus'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { wireWebhooks } from './wire.ts'

let natsUrl: string
const givenPeer = (name: AppName) => openBus(testService(name, { NATS_URL: natsUrl }))

beforeAll(async () => {
  const [database, nats] = await Promise.all([freshDatabase(), freshNats()])
  natsUrl = nats
  const config = { NATS_URL: natsUrl, LOG_LEVEL: 'silent' as const, DATABASE_URL_WEBHOOKS: database.url('webhooks'), DATABASE_POOL_SIZE: 2 }
  await wireWebhooks(testService('webhooks', config))
})

const givenAnnouncement = (owner: Announcement['owner']): Announcement => ({
  announcementId: newId(),
  owner,
  events: [{ type: 'notification.sent', at: new Date().toISOString(), appId: newId(), campaignId: newId() }],
})

test('every announcement is confirmed to its owner, and again until the owner has answered', async () => {
  const [tracker, audience] = [await givenPeer('tracker'), await givenPeer('audience')]
  const heard = { tracker: [] as string[], audience: [] as string[] }
  let refusals = 2
  tracker.answer(confirmTrackerAnnouncements, async ({ announcementIds }) => {
    if (refusals-- > 0) throw queueUnavailable()
    heard.tracker.push(...announcementIds)
    return {}
  })
  audience.answer(confirmAudienceAnnouncements, async ({ announcementIds }) => {
    heard.audience.push(...announcementIds)
    return {}
  })

  const ofTracker = Array.from({ length: 120 }, () => givenAnnouncement('tracker'))
  const ofAudience = Array.from({ length: 30 }, () => givenAnnouncement('audience'))
  await Promise.all([
    ...ofTracker.map((announcement) => tracker.publish(eventSubjects.pushSettled, announcement, `${announcement.announcementId}.0`)),
    ...ofAudience.map((announcement) =>
      audience.publish(eventSubjects.subscriptionInvalidated, announcement, `${announcement.announcementId}.0`),
    ),
  ])

  const idsOf = (announcements: Announcement[]) => announcements.map(({ announcementId }) => announcementId).toSorted()
  await until(() => new Set(heard.tracker).size >= 120 && new Set(heard.audience).size >= 30, { what: 'all confirmations' })
  expect([...new Set(heard.tracker)].toSorted()).toEqual(idsOf(ofTracker))
  expect([...new Set(heard.audience)].toSorted()).toEqual(idsOf(ofAudience))
})
