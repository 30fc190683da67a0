import { setTimeout as sleep } from 'node:timers/promises'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { givenManyDevices, type Registered } from '../crowd.ts'
import { onPlatform, type Platform } from '../platform.ts'
import { recordedPushes, campaignOf } from '../scenario-result.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { readStats, send, untilAllSettled } from '../sends.ts'

const perMinute = 6_000
/** Once Herald has found the quota, it uses at least this share of it on average. */
const leastUse = 0.85
const promptWithin = 1
/** A prompt send of the other app goes out as often. */
const promptEveryMs = 5_000

export const quota: Scenario = {
  promise:
    'A campaign five times as large as the minute’s quota of its FCM project loses nothing but time, with one, two and four dispatchers: no push fails, at least 85 % of the quota is used, and another app’s sends go out within a second.',
  needsSixProcesses: true,
  async run(scene) {
    const count = Math.min(scene.devices, 30_000)
    for (const dispatchers of [1, 2, 4]) {
      const env = { LOG_LEVEL: 'warn', HERALD_INSTANCES: `dispatcher=${dispatchers}` }
      await onPlatform(env, (platform) => sendOverQuota(scene, platform, count, dispatchers))
    }
  },
}

async function sendOverQuota(scene: Scene, platform: Platform, count: number, dispatchers: number): Promise<void> {
  const { note, check } = scene
  const { tenant, herald } = platform
  const devices = await givenManyDevices(platform, count, ['android'])
  const other = await givenTenant(herald)
  const others = await givenManyDevices({ herald, tenant: other }, 1, ['ios'])
  await tenant.simulator('PUT', '/faults', { service: 'fcm', quota: { perMinute } })
  const campaign = await send(tenant, 'large', devices)
  const stop = new AbortController()
  const prompt = sendPrompt(other, others, stop.signal)
  await untilAllSettled(tenant, [campaign]).finally(() => stop.abort())
  const seconds = (await prompt).toSorted((one, another) => one - another)
  const { refusedByQuota } = await tenant.simulator<{ refusedByQuota: number }>('GET', '/summary?open=false')
  const use = await useOf(tenant, campaign.id)
  const longest = seconds.at(-1) ?? Number.POSITIVE_INFINITY
  note({ [`${dispatchers} dispatchers`]: { stats: campaign.stats, ...use, refusedByQuota, prompt: { sends: seconds.length, longest } } })
  check(campaign.status === 'sent' && campaign.stats.sent === count, `${dispatchers} dispatchers: ${JSON.stringify(campaign.stats)}`)
  check(campaign.stats.failed === 0, `${dispatchers} dispatchers: ${campaign.stats.failed} pushes failed`)
  check(use.share >= leastUse, `${dispatchers} dispatchers: ${Math.round(use.share * 100)} % of the quota was used`)
  check(longest <= promptWithin, `${dispatchers} dispatchers: a prompt send of another app took ${longest} s`)
}

/** Gives which share of the quota was used from the moment at which its first minute was used up until the last push. */
async function useOf(tenant: Tenant, campaignId: string): Promise<{ seconds: number; share: number }> {
  const at: number[] = []
  for await (const push of recordedPushes(tenant)) if (campaignOf(push.msgId) === campaignId) at.push(push.at)
  at.sort((one, another) => one - another)
  const found = at[perMinute - 1] ?? at.at(-1) ?? 0
  const seconds = ((at.at(-1) ?? found) - found) / 1_000
  const share = seconds === 0 ? 1 : (at.length - perMinute) / (seconds * (perMinute / 60))
  return { seconds: Math.round(seconds), share: Math.round(share * 1_000) / 1_000 }
}

/** Sends to one device every five seconds until the signal aborts. Gives the seconds from each POST until its push is sent. */
async function sendPrompt(tenant: Tenant, devices: readonly Registered[], signal: AbortSignal): Promise<number[]> {
  const seconds: number[] = []
  for (let number = 0; !signal.aborted; number += 1) {
    const startedAt = performance.now()
    const campaign = await send(tenant, `prompt-${number}`, devices)
    while ((await readStats(tenant, campaign)).body.stats.sent < devices.length && performance.now() - startedAt < 60_000) await sleep(20)
    seconds.push(Math.round(performance.now() - startedAt) / 1_000)
    await sleep(promptEveryMs)
  }
  return seconds
}
