import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshDataDir } from '@herald/testing/herald'
import { givenManyDevices } from '../crowd.ts'
import { onDataDirectory } from '../platform.ts'
import type { Scenario } from '../scenario.ts'
import { accepted, checkSends, send, untilAllSettled, untilAccepted } from '../sends.ts'

/**
 * The size of the tmpfs for NATS' data. nats-server gives its streams, 1.26 GB here, at most three quarters of the disk. A tmpfs uses memory only for
 * what is written.
 */
const diskSize = '8g'
/** Longer than the 30 s after which a service says that NATS cannot store (spec: cluster/cannot-store). */
const fullMs = 45_000

export const natsFull: Scenario = {
  promise:
    'While the disk of NATS is full each send is still accepted with 202, if not at once, then when it is repeated, and a log says what is wrong; once there is room, everything is sent without an operator. (Needs root: it mounts a tmpfs.)',
  async run(scene) {
    const { devices: count, say, note, check } = scene
    const dataDir = freshDataDir()
    const nats = join(dataDir, 'nats')
    mkdirSync(nats)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskSize}`, 'tmpfs', nats])
    try {
      await onDataDirectory(dataDir, { LOG_LEVEL: 'warn' }, async (platform) => {
        const { tenant } = platform
        const devices = await givenManyDevices(platform, count)
        const campaign = await send(tenant, 'nats-full', devices)
        await untilAccepted(tenant, count * 0.2)

        resize(nats, usedBytes(nats))
        say(`  the disk of NATS is full at ${await accepted(tenant)} pushes`)
        const fullAt = performance.now()
        const during = []
        while (performance.now() < fullAt + fullMs) {
          const askedAt = performance.now()
          during.push(
            await send(tenant, `nats-full-${during.length}`, devices.slice(0, 1), {
              target: { subscriptionIds: [devices[0]?.subscriptionId] },
            }),
          )
          note({ [`ms202 ${during.length}`]: Math.round(performance.now() - askedAt) })
          await sleep(3_000)
        }
        resize(nats, diskSize)
        say('  it is free again')
        const campaigns = [campaign, ...during]
        const secondsToSettle = await untilAllSettled(tenant, campaigns)

        const logs = join(dataDir, 'logs')
        const alarms = readdirSync(logs).flatMap((file) =>
          readFileSync(join(logs, file), 'utf8')
            .split('\n')
            .filter((line) => /no space left|disk|"level":"error"/i.test(line))
            .slice(0, 2)
            .map((line) => `${file}: ${line.slice(0, 200)}`),
        )
        note({ secondsToSettle, sendsWhileFull: during.length, alarms })
        check(
          alarms.some((line) => !line.startsWith('nats-server')),
          'no service logged that NATS is full',
        )
        await checkSends(scene, tenant, campaigns, 0)
      })
    } finally {
      execFileSync('umount', ['-l', nats])
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
}

const resize = (directory: string, size: string) => execFileSync('mount', ['-o', `remount,size=${size}`, directory])

/** Gives the bytes in use: a tmpfs that is resized to this size is full. */
function usedBytes(directory: string): string {
  const { bsize, blocks, bfree } = statfsSync(directory)
  return String((blocks - bfree) * bsize)
}
