import { newId } from '@herald/contracts/ids'
import { dateAfter, weekdayOf } from '@herald/contracts/local-time'
import { expect, test } from 'vitest'
import { dryRun } from './dry-run.ts'
import { fanOut } from './fan-out.ts'
import { readWaves } from './read-waves.ts'
import { givenDevice, givenSend, openAudience } from '../testing/rig.ts'

// These tests compare the waves in the dry run of a send at local times with the waves that its fan-out then plans, over a night in which
// the clocks change.

const { audience, db, peers } = await openAudience()

/**
 * Gives the last Sunday of March or October, of this year or the next, that is at least two days ahead. The clocks of the European Union
 * change on it, at 01:00 UTC.
 */
function nextChange(month: '03' | '10'): string {
  const year = new Date().getUTCFullYear()
  const days = [year, year + 1].map((one) => {
    const last = `${one}-${month}-31`
    return dateAfter(last, -weekdayOf(last))
  })
  return days.find((day) => Date.parse(day) > Date.now() + 2 * 86_400_000) ?? ''
}

// spec: sending/dry-run, campaigns/waves, campaigns/clock-changes
test.each([
  ['forward, over the local time', '03', '01:30'],
  ['back, so that the local time comes twice', '10', '00:30'],
] as const)('where the clocks go %s, the waves of the dry run are those that the send then plans', async (_name, month, inBerlin) => {
  const day = nextChange(month)
  const eve = dateAfter(day, -1)
  const expected = [
    { zone: 'Asia/Tokyo', at: `${eve}T17:30:00.000Z`, devices: 1 },
    { zone: 'Europe/Berlin', at: `${day}T${inBerlin}:00.000Z`, devices: 2 },
    { zone: 'America/New_York', at: `${day}T06:30:00.000Z`, devices: 3 },
  ]
  const appId = newId()
  for (const { zone, devices } of expected) {
    for (let n = 0; n < devices; n += 1) {
      const { userId } = await givenDevice(db, { appId })
      await db.updateTable('users').set({ timezone: zone }).where('id', '=', userId).execute()
    }
  }
  const after = `${eve}T12:00:00.000Z`
  const send = givenSend(appId, { userTimezone: { localTime: '02:30', after } })

  const said = await dryRun(audience, { appId, send, target: { kind: 'all' }, startsAt: after, samples: { random: 1, seed: 'x' } })
  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })

  expect(said.waves).toEqual(expected.map(({ at, devices }) => ({ at, devices })))
  const { waves } = await readWaves({ db }, { appId, campaignId })
  expect(waves.map(({ at, zones }) => ({ at, zones }))).toEqual(expected.map(({ at, zone }) => ({ at, zones: [zone] })))
})
