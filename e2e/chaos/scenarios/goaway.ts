import { givenManyDevices } from '../crowd.ts'
import { onPlatform } from '../platform.ts'
import type { Scenario } from '../scenario.ts'
import { checkSends, send, untilAllSettled } from '../sends.ts'

export const goaway: Scenario = {
  promise: 'A provider that says GOAWAY every 500 requests and refuses 1 % of the streams costs no push and no copy.',
  async run(scene) {
    await onPlatform({ LOG_LEVEL: 'warn' }, async ({ herald, tenant }) => {
      const devices = await givenManyDevices({ herald, tenant }, scene.devices)
      await tenant.simulator('PUT', '/faults', { goawayEvery: 500, refuseStreamShare: 0.01 })
      const campaign = await send(tenant, 'goaway', devices)
      const seconds = await untilAllSettled(tenant, [campaign])
      await checkSends(scene, tenant, [campaign], 0)
      scene.note({ secondsToSettle: seconds })
    })
  },
}
