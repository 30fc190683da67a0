import { defaultSettings, type AppSettings } from '@herald/contracts/app'
import { dryRun as dryRunCall } from '@herald/contracts/calls/audience'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { chooseLocale } from '@herald/contracts/content'
import type { ChosenSamples, Estimated } from '@herald/contracts/dry-run'
import { isInSample, variantOf } from '@herald/contracts/experiment'
import { newId } from '@herald/contracts/ids'
import { dateAfter, instantOf, localDateAt } from '@herald/contracts/local-time'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { dryRun, type DryRunBounds } from './dry-run.ts'
import { findFanOut } from './store/fan-outs.ts'
import { fanOutAll, givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { audience, db, peers, startProcess, dispatcher } = await openAudience()

const everyone: FrozenTarget = { kind: 'all' }
type Change = { target?: FrozenTarget; startsAt?: string | null; samples?: ChosenSamples; bounds?: DryRunBounds }
const tryOut = (send: FrozenSend, { target = everyone, startsAt = null, samples = { random: 5, seed: 'x' }, bounds }: Change = {}) =>
  dryRun(audience, { appId: send.appId, send, target, startsAt, samples }, bounds)
const withSettings = (settings: Partial<AppSettings>): string => {
  const appId = newId()
  peers.settings.set(appId, { ...defaultSettings, ...settings })
  return appId
}
const setUser = (userId: string, values: { timezone?: string; language?: string }) =>
  db.updateTable('users').set(values).where('id', '=', userId).execute()
const claims = (appId: string, userId: string, minutesAgo: number[]) =>
  Promise.all(
    minutesAgo.map((minutes) =>
      sql`insert into cap_claims (app_id, user_id, campaign_id, at, expires_at)
        values (${appId}, ${userId}, ${newId()}, now() - make_interval(mins => ${minutes}::int), now() + interval '1 day')`.execute(db),
    ),
  )

// spec: sending/dry-run
test('a dry run counts opted-out and invalidated devices separately, and a user with several devices once', async () => {
  const appId = newId()
  const phone = await givenDevice(db, { appId })
  await givenDevice(db, { appId, userId: phone.userId, platform: 'android' })
  const [out, dead, both] = await Promise.all([
    givenDevice(db, { appId }),
    givenDevice(db, { appId }),
    givenDevice(db, { appId, platform: 'web' }),
  ])
  await db.updateTable('subscriptions').set({ opted_in: false }).where('id', 'in', [out.id, both.id]).execute()
  await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', 'in', [dead.id, both.id]).execute()
  await givenDevice(db, { appId: newId() })

  const said = await tryOut(givenSend(appId), { samples: { subscriptionIds: [phone.id, out.id, dead.id, newId()] } })

  expect(said).toMatchObject({
    audience: { users: 1, byPlatform: { ios: 1, android: 1, web: 0 } },
    unreachable: { optedOut: 1, invalidated: 2 },
    estimated: null,
    skips: [],
    unknownSamples: [3],
  })
  expect(said.samples.map(({ subscriptionId, skip, recipient }) => [subscriptionId, skip, recipient === null])).toEqual([
    [phone.id, null, false],
    [out.id, 'opted_out', true],
    [dead.id, 'invalidated', true],
  ])
  expect(JSON.stringify(said)).not.toContain('address-of-')
})

// spec: sending/dry-run-warnings
test('a dry run counts reachable browsers that an import brought and that never came, exactly and by sample', async () => {
  const appId = newId()
  const phone = await givenDevice(db, { appId })
  const browsers = await Promise.all(Array.from({ length: 4 }, () => givenDevice(db, { appId, platform: 'web' })))
  const [seen, out, ...never] = browsers
  const unseen = [phone.id, out?.id ?? '', ...never.map(({ id }) => id)]
  await db.updateTable('subscriptions').set({ last_session_at: null }).where('id', 'in', unseen).execute()
  await db
    .updateTable('subscriptions')
    .set({ opted_in: false })
    .where('id', '=', out?.id ?? '')
    .execute()
  expect(await tryOut(givenSend(appId))).toMatchObject({ audience: { byPlatform: { ios: 1, web: 3 } }, webNeverSeen: 2 })
  const ofSeen: FrozenTarget = { kind: 'userIds', userIds: [seen?.userId ?? '', phone.userId] }
  expect(await tryOut(givenSend(appId), { target: ofSeen })).toMatchObject({ webNeverSeen: 0 })
  const whole = { exactUpTo: 0, sampled: 1_000_000 }
  expect((await tryOut(givenSend(appId), { bounds: whole })).webNeverSeen).toBe(2)
})

// spec: sending/dry-run
test('a dry run counts the target’s unknown ids, and says that a sample device is not in it', async () => {
  const appId = newId()
  const [ada, bob] = [await givenDevice(db, { appId, externalId: 'ada' }), await givenDevice(db, { appId, externalId: 'bob' })]
  const foreign = await givenDevice(db, { appId: newId(), externalId: 'ada' })
  const targets: FrozenTarget[] = [
    { kind: 'externalIds', externalIds: ['ada', 'ada', 'nobody'] },
    { kind: 'userIds', userIds: [ada.userId, foreign.userId] },
    { kind: 'subscriptionIds', subscriptionIds: [ada.id, foreign.id] },
  ]
  for (const target of targets) {
    const said = await tryOut(givenSend(appId), { target, samples: { subscriptionIds: [ada.id, bob.id, foreign.id] } })
    expect(said).toMatchObject({ audience: { users: 1, byPlatform: { ios: 1 } }, unknownIds: 1, unknownSamples: [2] })
    expect(said.samples.map(({ skip }) => skip)).toEqual([null, 'not_in_target'])
  }
})

// spec: sending/dry-run, sending/quiet-hours-skip, sending/frequency-cap
test('a dry run counts a user in quiet hours as skipped for them, and caps only the others', async () => {
  const quietHours = { start: '00:00', end: '23:59', action: 'skip' as const }
  const appId = withSettings({ frequencyCap: { max: 2, windowSeconds: 3_600 }, quietHours, defaultTimezone: 'UTC' })
  const at = new Date(`${localDateAt(new Date(Date.now() + 86_400_000), 'UTC')}T12:00:00Z`)
  const devices = await Promise.all(Array.from({ length: 6 }, () => givenDevice(db, { appId })))
  for (const { userId } of devices.slice(0, 4)) await claims(appId, userId, [0, 0])
  const bypass = { quietHours: true }

  const quiet = await tryOut(givenSend(appId), { startsAt: at.toISOString() })
  expect(quiet.skips).toEqual([{ reason: 'quiet_hours', devices: 6, estimated: null }])
  expect(quiet.startsAt).toBe(at.toISOString())
  // Tomorrow, when this send begins, today’s claims are no longer in the cap’s window of an hour.
  expect((await tryOut(givenSend(appId, { bypass }), { startsAt: at.toISOString() })).skips).toEqual([])
  const capped = await tryOut(givenSend(appId, { bypass }), { samples: { subscriptionIds: devices.map(({ id }) => id) } })
  expect(capped.skips).toEqual([{ reason: 'frequency_cap', devices: 4, estimated: null }])
  expect(capped.samples.map(({ skip }) => skip)).toEqual([...Array(4).fill('frequency_cap'), null, null])
  expect((await tryOut(givenSend(appId, { silent: true, content: null }))).skips).toEqual([])
})

// spec: sending/dry-run, campaigns/waves
test('a dry run puts each zone into its wave, with the frequency cap as at that instant', async () => {
  const appId = withSettings({ frequencyCap: { max: 1, windowSeconds: 7_200 } })
  const after = new Date()
  const nineIn = (zone: string): string => {
    const today = instantOf(localDateAt(after, zone), '09:00', zone)
    return (today > after ? today : instantOf(dateAfter(localDateAt(after, zone), 1), '09:00', zone)).toISOString()
  }
  const zones = ['Asia/Tokyo', 'America/New_York', 'Pacific/Auckland'].toSorted((one, other) => (nineIn(one) < nineIn(other) ? -1 : 1))
  const instants = zones.map(nineIn)
  for (const [place, timezone] of zones.entries()) {
    const device = await givenDevice(db, { appId })
    await setUser(device.userId, { timezone })
    // Each later zone gets one more device. The users of these devices had a campaign an hour before their wave.
    for (let more = 0; more < place; more += 1) {
      const capped = await givenDevice(db, { appId })
      await setUser(capped.userId, { timezone })
      await sql`insert into cap_claims (app_id, user_id, campaign_id, at, expires_at)
        values (${appId}, ${capped.userId}, ${newId()}, ${instants[place]}::timestamptz - interval '1 hour', now() + interval '2 days')`.execute(
        db,
      )
    }
    await claims(appId, device.userId, [1_440])
  }
  const send = givenSend(appId, { userTimezone: { localTime: '09:00', after: after.toISOString() } })

  const said = await tryOut(send, { startsAt: instants[0] ?? null })

  expect(said.waves).toEqual(instants.map((at, place) => ({ at, devices: 1 + place })))
  expect(said.skips).toEqual([{ reason: 'frequency_cap', devices: 3, estimated: null }])
})

// spec: sending/dry-run, experiments/assignment
test('a dry run of an experiment counts exactly the devices that the experiment then queues', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 3_000 })
  const variants = ['a', 'b', 'c'].map((id, place) => ({
    id,
    weight: place + 1,
    content: { _default: 'en', en: { title: id, body: 'Hello' } },
  }))
  const send = givenSend(appId, { transactional: false, experiment: { sampleRate: 0.4, variants } })
  const users = (await db.selectFrom('users').select('id').where('app_id', '=', appId).execute()).map(({ id }) => id)
  const sampled = users.filter((id) => isInSample(0.4, send.campaignId, id))
  const outside = users.find((id) => !sampled.includes(id)) ?? ''
  const left = await db.selectFrom('subscriptions').select('id').where('user_id', '=', outside).executeTakeFirstOrThrow()

  const said = await tryOut(send, { samples: { random: 20, seed: 'any' } })

  const byVariant = Object.fromEntries(
    variants.map(({ id }) => [id, sampled.filter((user) => variantOf(variants, send.campaignId, user).id === id).length]),
  )
  expect(said.experiment).toEqual({ inSample: sampled.length, remainder: users.length - sampled.length, byVariant })
  expect(said.samples).toHaveLength(20)
  for (const { userId, variant } of said.samples)
    expect([sampled.includes(userId), variant]).toEqual([true, variantOf(variants, send.campaignId, userId).id])
  expect((await tryOut(send, { samples: { subscriptionIds: [left.id] } })).samples).toMatchObject([
    { skip: 'not_in_experiment', variant: '' },
  ])
  await fanOutAll(audience, peers.givenCampaign(send, everyone))
  expect((await findFanOut(db, send.campaignId))?.queued.ios).toBe(sampled.length)
  // The winner’s follow-up goes to the users outside the sample. A dry run does not leave out devices that had a push of the experiment; only the
  // send does.
  const winner = givenSend(appId, { remainder: { of: send.campaignId, sampleRate: 0.4 } })
  expect(await tryOut(winner)).toMatchObject({ isWhole: false, audience: { users: users.length - sampled.length } })
})

// spec: sending/dry-run, content/locale-choice, identity/old-language-codes
test('a dry run counts each device with the locale that it would show, the default without the user’s language', async () => {
  const appId = newId()
  const languages = ['de-AT', 'de', 'pt-BR', 'pt-PT', 'zh-Hant-TW', 'ja', 'iw-IL', 'he', 'no', undefined]
  for (const language of languages) {
    const { userId } = await givenDevice(db, { appId })
    if (language !== undefined) await setUser(userId, { language })
  }
  const entry = { title: 'T', body: 'B' }
  const content = { _default: 'en', en: entry, de: entry, 'de-AT': entry, pt: entry, 'zh-Hant': entry, fr: entry, he: entry, nb: entry }

  const { locales } = await tryOut(givenSend(appId, { content }))

  const counts = Object.fromEntries(
    locales.map(({ locale, byPlatform, fallback, missing }) => [locale, [byPlatform.ios, fallback, missing]]),
  )
  expect(counts).toEqual({
    'de-AT': [1, 0, 0],
    de: [1, 0, 0],
    pt: [2, 0, 0],
    'zh-Hant': [1, 0, 0],
    he: [2, 0, 0],
    nb: [1, 0, 0],
    en: [2, 2, 1],
  })
  const shown = Map.groupBy(languages, (language) => chooseLocale(content, language).locale)
  expect(Object.fromEntries(locales.map(({ locale, byPlatform }) => [locale, byPlatform.ios]))).toEqual(
    Object.fromEntries([...shown].map(([locale, of]) => [locale, of.length])),
  )
})

// spec: sending/dry-run-samples
test('a dry run gives as many random sample devices as asked for, or all; one seed gives the same', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 500 })
  const chosen = async (random: number, seed: string, target: FrozenTarget = everyone) =>
    (await tryOut(givenSend(appId), { target, samples: { random, seed } })).samples.map(({ subscriptionId }) => subscriptionId)

  const first = await chosen(20, 'a')
  expect(new Set(first).size).toBe(20)
  expect(await chosen(20, 'a')).toEqual(first)
  expect(await chosen(5, 'a')).toEqual(first.slice(0, 5))
  expect(await chosen(20, 'b')).not.toEqual(first)
  const few: FrozenTarget = { kind: 'subscriptionIds', subscriptionIds: first.slice(0, 7) }
  expect((await chosen(20, 'a', few)).toSorted()).toEqual(first.slice(0, 7).toSorted())
})

// spec: sending/dry-run-sampled
test('a very large app’s dry run counts a sample: estimates with intervals, near the true numbers', async () => {
  const appId = withSettings({ frequencyCap: { max: 1, windowSeconds: 3_600 } })
  await givenCrowd(db, { appId, count: 20_000 })
  await sql`insert into cap_claims (app_id, user_id, campaign_id, expires_at)
    select app_id, id, 'c', now() + interval '1 hour' from users where app_id = ${appId} and substr(id, 1, 1) < '4'`.execute(db)
  await sql`analyze subscriptions`.execute(db)
  const { rows } = await sql<{
    over: number
  }>`select count(*)::int as over from users where app_id = ${appId} and substr(id, 1, 1) < '4'`.execute(db)

  for (const seed of ['a', 'b', 'c']) {
    const said = await tryOut(givenSend(appId), { samples: { random: 20, seed }, bounds: { exactUpTo: 1_000, sampled: 4_000 } })
    const { sampleSize = 0 } = said.estimated ?? {}
    expect(sampleSize).toBeGreaterThan(1_000)
    expect(sampleSize).toBeLessThan(10_000)
    expectNear(said.estimated, 20_000)
    const [skip] = said.skips
    expect(skip?.reason).toBe('frequency_cap')
    expectNear(skip?.estimated, rows[0]?.over ?? 0)
    expect(said.audience.users).toBe(said.audience.byPlatform.ios)
    expect(said.samples).toHaveLength(20)
  }
  expect((await tryOut(givenSend(appId), { bounds: { exactUpTo: 1_000_000, sampled: 4_000 } })).estimated).toBeNull()
})

/** Expects the true number within twice the interval: by chance this fails once in 10,000 times, and within the interval itself once in 20 times. */
function expectNear(estimated: Estimated | null | undefined, truth: number): void {
  const [low, high] = estimated?.interval ?? [0, 0]
  expect(high - low).toBeGreaterThan(0)
  expect(high - low).toBeLessThan(truth)
  expect(Math.abs((low + high) / 2 - truth)).toBeLessThanOrEqual(high - low)
}

test('a running audience answers dry runs; for a deleted app it answers not found, and it refuses an invalid segment', async () => {
  await startProcess()
  const appId = newId()
  await givenDevice(db, { appId })
  const ask = (change: Partial<{ send: FrozenSend; target: FrozenTarget }>) =>
    dispatcher.bus.call(dryRunCall, {
      appId,
      send: givenSend(appId),
      target: everyone,
      startsAt: null,
      samples: { random: 1, seed: '' },
      ...change,
    })

  expect(await ask({})).toMatchObject({ audience: { users: 1 }, samples: [{ platform: 'ios', skip: null }] })
  const segment = { field: 'plan', op: 'eq', value: 'pro' }
  await expect(ask({ target: { kind: 'segment', segment } })).rejects.toMatchObject({ code: 'invalid_segment' })
  peers.gone.add(appId)
  const other = newId()
  peers.gone.add(other)
  await expect(
    dispatcher.bus.call(dryRunCall, {
      appId: other,
      send: givenSend(other),
      target: everyone,
      startsAt: null,
      samples: { random: 1, seed: '' },
    }),
  ).rejects.toMatchObject({ code: 'not_found' })
})
