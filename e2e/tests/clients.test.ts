import { Herald, HeraldError, webhooks } from '@herald/node'
import { givenTenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { givenDevices, textOf } from './campaigns.ts'
import { commandFor } from './command.ts'

// One journey through the Node SDK and one through the command line.

const platform = await sharedPlatform()
const { run } = commandFor(platform)

test('through the Node SDK a backend works with users, segments, templates and notifications; an error says what is wrong', async () => {
  const tenant = await givenTenant(platform)
  const herald = new Herald({ baseUrl: platform.baseUrl, key: tenant.secretKey })
  const [device] = await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'kündin/7' }))
  const user = await herald.users.update({ externalId: 'kündin/7' }, { tags: { plan: 'pro' }, language: 'de' })
  expect((await herald.users.get({ id: user.id })).subscriptions.map(({ id }) => id)).toEqual([device?.id])

  const names = ['vip-1', 'vip-2', 'vip-3']
  for (const name of names) await herald.segments.create({ name, definition: { field: 'tags.plan', op: 'eq', value: 'pro' } })
  const found = []
  for await (const segment of herald.segments.list({ q: 'vip', limit: 1 })) found.push(segment)
  expect(found.map(({ name }) => name).toSorted()).toEqual(names)
  expect((await herald.segments.count(found[0]?.id ?? '')).count).toBe(1)
  expect((await herald.segments.preview({ field: 'tags.plan', op: 'eq', value: 'free' })).count).toBe(0)
  await herald.segments.delete(found[0]?.id ?? '')

  const template = await herald.templates.create({ name: 'Shipped', content: textOf('Shipped') })
  const dryRun = await herald.notifications.dryRun({ notification: { target: { all: true }, templateId: template.id } })
  expect(dryRun.audience.devices).toBe(1)
  const { id } = await herald.notifications.send(
    { target: { externalIds: ['kündin/7'] }, templateId: template.id },
    { idempotencyKey: 'order-17' },
  )
  expect(
    (await herald.notifications.send({ target: { externalIds: ['kündin/7'] }, templateId: template.id }, { idempotencyKey: 'order-17' }))
      .id,
  ).toBe(id)
  expect((await herald.campaigns.settled(id)).stats).toMatchObject({ queued: 1, sent: 1 })
  const { results } = await herald.notifications.sendMany([{ target: { externalIds: ['nobody'] }, content: textOf('Hi') }])
  expect(results[0]?.status).toBe(202)
  expect((await herald.webPushKey()).publicKey).toBe(tenant.vapidPublicKey)

  const refused = await herald.notifications
    .send({ target: { externalIds: ['kündin/7'] }, content: textOf(' ') })
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(HeraldError)
  expect(refused).toMatchObject({ code: 'invalid_body', status: 422 })
  expect((refused as HeraldError).at('content.en.title')).toBeTypeOf('string')
  expect(await herald.segments.get('0'.repeat(24)).catch((error: HeraldError) => error.code)).toBe('not_found')
  const stranger = new Herald({ baseUrl: platform.baseUrl, key: `${tenant.secretKey.slice(0, -4)}xxxx` })
  expect(
    await stranger.segments
      .list()
      .page()
      .catch((error: HeraldError) => error.code),
  ).toBe('unauthorized')
  await herald.users.delete({ externalId: 'kündin/7' })
  expect(await herald.users.get({ id: user.id }).catch((error: HeraldError) => error.code)).toBe('not_found')
  expect(webhooks.signatureHeader).toBe('x-service-signature')
})

test('`herald send` follows a send and exits with 1 when it reaches nobody; `herald explain` says it was sent', async () => {
  const tenant = await givenTenant(platform)
  const [device] = await givenDevices(tenant, 'android', 1, () => ({ externalId: 'customer-7', tags: { plan: 'pro' } }))

  for (const env of [{}, { HERALD_TOKEN: tenant.secretKey }]) {
    const sent = await run(tenant, ['send', '--to', 'customer-7', '--title', 'Hi', '--body', 'There', '--json'], env)
    expect([sent.err, sent.code]).toEqual(['', 0])
    const { id, stats } = JSON.parse(sent.out) as { id: string; stats: object }
    expect(stats).toMatchObject({ queued: 1, sent: 1, failed: 0 })

    const explained = await run(tenant, ['explain', id, 'customer-7'])
    expect(explained.code).toBe(0)
    expect(explained.out).toContain(`device ${device?.id} (android): sent, recorded`)
    expect((await run(tenant, ['explain', id, device?.id ?? ''])).out).toContain('outcome')
  }
  const dryRun = await run(tenant, ['send', '--all', '--title', 'Hi', '--body', 'There', '--dry-run'])
  expect([dryRun.code, dryRun.out.split('\n')[0]]).toEqual([0, 'would reach 1 devices of 1 users (0 ios, 1 android, 0 web)'])
  const nobody = await run(tenant, ['send', '--to', 'nobody', '--title', 'Hi', '--body', 'There'])
  expect(nobody.code).toBe(1)
})
