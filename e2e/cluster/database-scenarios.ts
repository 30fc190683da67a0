import { http } from '@herald/testing/herald'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { givenManyDevices, type Registered } from '../chaos/crowd.ts'
import { onPlatform, type Platform } from '../chaos/platform.ts'
import type { Scenario, Scene } from '../chaos/scenario.ts'
import { accepted, checkSends, readStats, send, untilAccepted, untilAllSettled } from '../chaos/sends.ts'
import type { Campaign } from '../chaos/scenario-result.ts'
import { startPair, type Pair } from './database.ts'
import {
  faultBegins,
  linesLogged,
  pause,
  seconds,
  seenByClients,
  settle,
  standstillOf,
  startPosting,
  window,
  type Posting,
} from './posting.ts'

/** HAProxy knows after two failed checks, a second apart, that a server is away, and after one that another is the primary. */
const switchSeconds = 3.2

type Stage = { pair: Pair; platform: Platform; devices: Registered[]; large: Campaign; posting: Posting }

/** Runs work while a large send is under way and clients post, on a Herald whose database is a primary with a standby behind HAProxy. */
export async function onPair(scene: Scene, synchronous: boolean, work: (stage: Stage) => Promise<void>): Promise<void> {
  const pair = await startPair({ synchronous })
  try {
    await onPlatform({ LOG_LEVEL: 'warn', DATABASE_URL: pair.url }, async (platform) => {
      const { tenant } = platform
      const devices = await givenManyDevices(platform, Math.min(scene.devices, 20_000))
      await tenant.simulator('PUT', '/faults', { latencyMs: 100 })
      const large = await send(tenant, 'large', devices)
      const posting = startPosting(platform, devices)
      try {
        await untilAccepted(tenant, devices.length * 0.2)
        await work({ pair, platform, devices, large, posting })
      } finally {
        await posting.stop()
      }
    })
  } finally {
    await pair.stop()
  }
}

const isOnly503 = (refused: Record<string, number>) => Object.keys(refused).every((answer) => answer === '503 database_unavailable')

const promoted: Scenario = {
  promise:
    'The primary is killed and its synchronous standby promoted 3 s later: posts are 503 until 2 s after the promotion at most, the large send goes on, nothing is lost, and nothing is sent twice.',
  run: (scene) =>
    onPair(scene, true, async (stage) => {
      const fault = faultBegins(stage.platform)
      stage.pair.primary.kill()
      await pause(3_000)
      await stage.pair.standby.promote()
      const promotedAfter = seconds(Date.now() - fault.since)
      await pause(8_000)
      const { seen, largeStoodStillFor, campaigns } = await settle(scene, stage, fault)
      scene.note({ promotedAfter })
      scene.check(isOnly503(seen.refused), `posts were answered ${JSON.stringify(seen.refused)}`)
      scene.check(seen.refusedForSeconds <= promotedAfter + 2, `posts were refused for ${seen.refusedForSeconds} s`)
      scene.check(largeStoodStillFor <= promotedAfter + 5, `the large send stood still for ${largeStoodStillFor} s`)
      await checkSends(scene, stage.platform.tenant, campaigns, 0)
    }),
}

const standby: Scenario = {
  promise:
    'The address leads to a server that is a standby now: posts are 503 within 2 s and never anything else, /health and every /readyz say 503, and within 2 s of the address leading to the new primary posts are 202; nothing is lost, nothing is sent twice.',
  run: (scene) =>
    onPair(scene, true, async (stage) => {
      const { pair, platform, posting } = stage
      const fault = faultBegins(platform)
      // A switchover that the address has not heard of: it still leads to the former primary.
      pair.lead(pair.primary)
      await pair.primary.stop()
      pair.primary.demoteAtNextStart()
      await pair.primary.start()
      await pair.standby.promote()
      await pause(2_500)
      const healths = await healthsOf(platform)
      await pause(7_500)
      const switchedAt = Date.now()
      pair.lead(undefined)
      await pause(8_000)
      const { seen, campaigns } = await settle(scene, stage, fault)
      const backAfter = seconds(fault.since + seen.refusedForSeconds * 1_000 - switchedAt)
      const early = posting.attempts.filter(({ at, ms }) => at > fault.since && ms > 2_000)
      scene.note({ healths, refusedForSecondsAfterTheSwitch: backAfter })
      scene.check(isOnly503(seen.refused), `posts were answered ${JSON.stringify(seen.refused)}`)
      scene.check(early.length === 0, `${early.length} posts took more than 2 s`)
      scene.check(
        Object.values(healths).every((status) => status === 503),
        `health was ${JSON.stringify(healths)}`,
      )
      scene.check(backAfter <= switchSeconds + 2, `posts were refused for ${backAfter} s after the switch`)
      await checkSends(scene, platform.tenant, campaigns, 0)
    }),
}

const frozenStandby: Scenario = {
  promise:
    'The synchronous standby is frozen for 2 s, then the primary is killed and the standby promoted: posts are 202 or 503 within 2.5 s, nothing that was answered 202 is lost, and nothing is sent twice.',
  run: (scene) =>
    onPair(scene, true, async (stage) => {
      const { pair, platform, posting } = stage
      const fault = faultBegins(platform)
      pair.standby.freeze()
      await pause(2_000)
      pair.primary.kill()
      pair.standby.thaw()
      await pair.standby.promote()
      await pause(8_000)
      const { seen, campaigns } = await settle(scene, stage, fault)
      const slow = posting.attempts.filter(({ at, ms }) => at > fault.since && ms > 2_500)
      scene.check(isOnly503(seen.refused), `posts were answered ${JSON.stringify(seen.refused)}`)
      scene.check(slow.length === 0, `${slow.length} posts took more than 2.5 s, the slowest ${seen.slowestMs} ms`)
      await checkSends(scene, platform.tenant, campaigns, 0)
    }),
}

const lostSeconds: Scenario = {
  promise:
    'An asynchronous standby that has not got the last 2 s is promoted: sends go on within 30 s, what the database knows is sent and counted exactly, and there are no more copies than the window and the lost pushes.',
  run: (scene) =>
    onPair(scene, false, async (stage) => {
      const { pair, platform, large, posting } = stage
      const { tenant } = platform
      await pair.untilCaughtUp()
      // Counted before the stop: a standby that is being stopped gets no more, and that takes up to half a second on a busy machine.
      const sentBefore = await accepted(tenant)
      await pair.standby.stop()
      const standbyAt = Date.now()
      await pause(2_000)
      const fault = faultBegins(platform)
      pair.primary.kill()
      const sentInTheLostTime = (await accepted(tenant)) - sentBefore
      await pair.standby.start()
      await pair.standby.promote()
      await pause(10_000)
      await posting.stop()
      // Sends that were accepted in the lost time are unknown to the database. No client can be told.
      const known: Campaign[] = []
      let lost = 0
      for (const campaign of posting.accepted) {
        if ((await readStats(tenant, campaign)).status === 404) lost += 1
        else known.push(campaign)
      }
      const backAfter = await untilAllSettled(tenant, [large, ...known])
      const seen = seenByClients(posting.attempts, fault.since)
      const largeStoodStillFor = await standstillOf(platform, large, fault.since)
      scene.note({ ...seen, lost, sentInTheLostTime, largeStoodStillFor, backAfter, linesLogged: linesLogged(platform) - fault.lines })
      scene.note({ lostAcceptedBetween: [new Date(standbyAt).toISOString(), new Date(fault.since).toISOString()] })
      scene.check(lost <= 2 * 5 + 5, `${lost} of the posts are unknown, more than those of the lost seconds`)
      scene.check(known.length > 20, `only ${known.length} posts are known`)
      scene.check(largeStoodStillFor <= 30, `the large send stood still for ${largeStoodStillFor} s`)
      scene.check(isOnly503(seen.refused), `posts were answered ${JSON.stringify(seen.refused)}`)
      await checkSends(scene, tenant, [large, ...known], window + sentInTheLostTime)
    }),
}

/** Asks the gateway's /health, and /readyz of each process. */
async function healthsOf({ herald }: Platform): Promise<Record<string, number>> {
  const { observe } = JSON.parse(readFileSync(join(herald.dataDir, 'ports.json'), 'utf8')) as { observe: Record<string, number> }
  const answers: Record<string, number> = { health: (await http('GET', `${herald.baseUrl}/health`)).status }
  for (const [name, port] of Object.entries(observe))
    // A dispatcher and the simulator have no database.
    if (!/^(dispatcher|simulator)/.test(name)) answers[name] = (await http('GET', `http://127.0.0.1:${port}/readyz`)).status
  return answers
}

export const databaseScenarios: Record<string, Scenario> = {
  'database-promoted': promoted,
  'database-standby': standby,
  'database-frozen-standby': frozenStandby,
  'database-lost-seconds': lostSeconds,
}
