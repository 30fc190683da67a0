import { onPlatform } from '../platform.ts'
import { givenManyDevices } from '../crowd.ts'
import type { Scenario } from '../scenario.ts'
import { checkSends, send, untilAllSettled } from '../sends.ts'

const refusal = 'apns 400 BadDeviceToken'

export const wrongEnvironment: Scenario = {
  promise:
    'Devices with sandbox tokens are reached although the credentials say production, and the right environment is remembered: the second send tries only that one.',
  async run(scene) {
    await onPlatform({ LOG_LEVEL: 'warn' }, async (platform) => {
      const { tenant } = platform
      const devices = await givenManyDevices(platform, Math.min(scene.devices, 2_000), ['ios'], { environment: 'sandbox' })
      const refusals = async () => (await tenant.simulator<{ rejected: Record<string, number> }>('GET', '/summary')).rejected[refusal] ?? 0

      const first = await send(tenant, 'wrong-environment-1', devices)
      await untilAllSettled(tenant, [first])
      const afterFirst = await refusals()
      const second = await send(tenant, 'wrong-environment-2', devices)
      await untilAllSettled(tenant, [second])
      const afterSecond = await refusals()

      await checkSends(scene, tenant, [first, second], 0)
      scene.note({ askedWronglyFirst: afterFirst, askedWronglyAgain: afterSecond - afterFirst })
      scene.check(afterFirst <= devices.length, `${afterFirst} wrong questions for ${devices.length} devices`)
      scene.check(afterSecond === afterFirst, `the second send asked wrongly ${afterSecond - afterFirst} times`)
    })
  },
}
