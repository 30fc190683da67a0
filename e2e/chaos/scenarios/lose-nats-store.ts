import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onPlatform } from '../platform.ts'
import { runningProcesses, signalAll } from '../processes.ts'
import { withReceiver } from '../receiver.ts'
import type { Scenario } from '../scenario.ts'
import { accepted, checkSends, send, untilAllSettled, untilAccepted } from '../sends.ts'

export const loseNatsStore: Scenario = {
  promise:
    'A NATS store that is lost in mid-send costs no push, no copy and no webhook event; the send ends within 30 s of the server’s return.',
  async run(scene) {
    const { devices: count, say, note, check } = scene
    await withReceiver((receiver) =>
      onPlatform({ ...receiver.env, LOG_LEVEL: 'warn' }, async ({ herald, tenant }) => {
        await receiver.attach(tenant)
        const devices = await givenManyDevices({ herald, tenant }, count)
        const campaign = await send(tenant, 'lose-nats-store', devices)
        const sentAt = performance.now()
        await untilAccepted(tenant, count * 0.3)
        const secondsForFirst30Percent = (performance.now() - sentAt) / 1000

        const lost = runningProcesses(herald.dataDir).get('nats-server')
        if (lost === undefined) throw new Error('there is no nats-server')
        signalAll([lost], 'SIGKILL')
        rmSync(join(herald.dataDir, 'nats', 'jetstream'), { recursive: true, force: true })
        say(`  killed nats-server and deleted its store at ${await accepted(tenant)} pushes`)
        await until(() => (runningProcesses(herald.dataDir).get('nats-server') ?? lost) !== lost, { what: 'nats-server is back' })
        const seconds = await untilAllSettled(tenant, [campaign])
        const backAt = performance.now()
        const told = () => receiver.events.get('notification.sent')?.size ?? 0
        const completed = () => receiver.events.get('campaign.completed')?.size ?? 0
        await until(() => told() >= count && completed() >= 1, { withinMs: 60_000, what: 'every event' }).catch(() => undefined)

        await checkSends(scene, tenant, [campaign], 0)
        const secondsToTell = (performance.now() - backAt) / 1000
        note({
          secondsForFirst30Percent,
          secondsToFinish: seconds,
          secondsFromThereToLastEvent: secondsToTell,
          sentEvents: told(),
          completedEvents: completed(),
        })
        check(seconds <= 30, `the send ended ${seconds.toFixed(1)} s after the server was back`)
        check(told() === count, `${told()} distinct notification.sent events for ${count} pushes`)
        check(completed() === 1, `${completed()} distinct campaign.completed events`)
      }),
    )
  },
}
