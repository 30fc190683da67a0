import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onPlatform } from '../platform.ts'
import { readyPid, signalAll } from '../processes.ts'
import { withReceiver } from '../receiver.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { accepted, checkSends, send, untilAllSettled, untilAccepted } from '../sends.ts'
import { copiesByKill } from '../scenario-result.ts'

const kills = 20
/** The default of DISPATCH_WINDOW. */
const defaultWindow = 1_000

export const killDispatcher: Scenario = {
  needsSixProcesses: true,
  promise:
    'A dispatcher killed 20 times in one send costs at most DISPATCH_WINDOW copies each time; no device is missed, and every push is counted once and has one webhook event.',
  async run(scene) {
    await killDuringSend(scene, 'narrow', 150, 50)
    await killDuringSend(scene, 'full', defaultWindow, 0)
  },
}

async function killDuringSend(scene: Scene, name: string, window: number, latencyMs: number): Promise<void> {
  const { devices: count, say, note, check } = scene
  say(`  ${name}: DISPATCH_WINDOW ${window}, the providers answer after ${latencyMs} ms`)
  await withReceiver((receiver) =>
    onPlatform({ ...receiver.env, DISPATCH_WINDOW: String(window), HERALD_INSTANCES: 'dispatcher=2' }, async ({ herald, tenant }) => {
      await receiver.attach(tenant)
      const devices = await givenManyDevices({ herald, tenant }, count)
      await tenant.simulator('PUT', '/faults', { latencyMs })

      const campaign = await send(tenant, 'kill-dispatcher', devices)
      const killedAt: number[] = []
      while (killedAt.length < kills) {
        const victim = `dispatcher-${1 + (killedAt.length % 2)}`
        const pid = await until(() => readyPid(herald.dataDir, victim), { withinMs: 30_000, what: `${victim} is ready` })
        const next = Math.max((killedAt.length + 1) * (count / (kills + 2)), (await accepted(tenant)) + count / 200)
        await untilAccepted(tenant, Math.min(next, count))
        signalAll([pid], 'SIGKILL')
        killedAt.push(Date.now())
        const total = await accepted(tenant)
        say(`  kill -9 ${victim} at ${total} pushes`)
        check(total < count, `${name}: the send was over before kill ${killedAt.length}`)
      }
      const seconds = await untilAllSettled(tenant, [campaign])
      await until(() => (receiver.events.get('notification.sent')?.size ?? 0) >= count, {
        withinMs: 120_000,
        what: `${count} notification.sent events`,
      }).catch(() => undefined)

      await checkSends(scene, tenant, [campaign], kills * window, `${name}.`)
      const copies = await copiesByKill(tenant, killedAt)
      const told = receiver.events.get('notification.sent')?.size ?? 0
      note({ [`${name}.copiesByKill`]: copies, [`${name}.secondsAfterLastKill`]: seconds, [`${name}.sentEvents`]: told })
      check(
        copies.every((ofOne) => ofOne <= window),
        `${name}: a kill cost ${Math.max(...copies)} copies, more than the window of ${window}`,
      )
      check(told === count, `${name}: ${told} distinct notification.sent events for ${count} pushes`)
    }),
  )
}
