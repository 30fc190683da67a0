import { createTemplate, listTemplates, sendNotification } from '@herald/contracts/calls/campaigns'
import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { givenContent, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const said = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: unknown) => (Fault.is(error) ? error.code : String(error)),
  )

// spec: limits/reads-apart
test('while 30 lists of templates hang, sends are accepted and go out, and the lists are answered 429', async () => {
  await platform.gateway.call(createTemplate, { appId, template: { name: 'Order', content: givenContent() } })
  const list = () => said(platform.gateway.call(listTemplates, { appId, limit: 100 }))
  // While this lock is held no process can read a template. Sends without a template do not read that table.
  const { promise: read, resolve: unlock } = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = platform.db.transaction().execute(async (trx) => {
    await sql`lock table templates in access exclusive mode`.execute(trx)
    locked.resolve()
    await read
  })
  await locked.promise
  const lists = Promise.all(Array.from({ length: 30 }, list))
  const sends = Array.from({ length: 20 }, () =>
    platform.gateway.call(sendNotification, { appId, idempotency: null, notification: givenNotification() }),
  )
  const accepted = await Promise.all(sends)
  for (const { id } of accepted) await until(() => platform.audience.rows.has(id), { what: 'the take-over' })
  expect(new Set(await lists)).toEqual(new Set(['rate_limited']))
  unlock()
  await holding
  expect(await list()).toBe('answered')
})
