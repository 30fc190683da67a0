import { http } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import { onPlatform } from '../platform.ts'
import { runningProcesses, signalAll } from '../processes.ts'
import type { Scenario } from '../scenario.ts'
import { readStats, send, untilAllSettled } from '../sends.ts'
import { recordedPushes } from '../scenario-result.ts'

const text = 'Your blood test is ready'

export const ownerChanged: Scenario = {
  needsSixProcesses: true,
  promise:
    'A device whose owner changed between queueing and sending gets nothing of the first owner’s text; the push ends as skipped, owner_changed.',
  async run({ note, check }) {
    await onPlatform({ LOG_LEVEL: 'warn' }, async ({ herald, tenant }) => {
      const [device] = await tenant.makeDevices('ios', 1)
      const [other] = await tenant.makeDevices('ios', 1)
      if (!device || !other) throw new Error('the simulator made no device')
      const { id: subscriptionId } = await tenant.register(device, { externalId: 'ada' })
      await tenant.register(other, { externalId: 'ada' })
      const asDevice = (what: string, body?: unknown) =>
        http('POST', `${herald.baseUrl}/v1/subscriptions/${subscriptionId}/${what}`, { headers: { 'x-app-key': tenant.publicKey }, body })
      const dispatcher = runningProcesses(herald.dataDir).get('dispatcher-1')
      if (dispatcher === undefined) throw new Error('there is no dispatcher')

      signalAll([dispatcher], 'SIGSTOP')
      const campaign = await send(tenant, 'owner-changed', [device, other], {
        target: { externalIds: ['ada'] },
        content: { _default: 'en', en: { title: 'Hello {{ user.externalId }}', body: text } },
      })
      await until(async () => (await readStats(tenant, campaign)).body.stats.queued === 2, { what: 'both pushes are queued' })
      const loggedOut = await asDevice('logout')
      const loggedIn = await asDevice('login', { externalId: 'grace' })
      signalAll([dispatcher], 'SIGCONT')
      await untilAllSettled(tenant, [campaign])

      const seen: string[] = []
      for await (const push of recordedPushes(tenant)) if (JSON.stringify(push.payload).includes(text)) seen.push(push.deviceId)
      const { body } = await tenant.admin<{ items: { outcome: string; code: string }[] }>(
        'GET',
        `/pushes?campaignId=${campaign.id}&subscriptionId=${subscriptionId}`,
      )
      note({
        loggedOut: loggedOut.status,
        loggedIn: loggedIn.status,
        stats: campaign.stats,
        ledger: body.items.map(({ outcome, code }) => [outcome, code]),
      })
      check(loggedOut.status === 200 && loggedIn.status === 200, `logout ${loggedOut.status}, login ${loggedIn.status}`)
      check(!seen.includes(device.id), 'the device was sent the text of its former owner')
      check(seen.includes(other.id), 'the former owner’s other device was not sent its text')
      check(campaign.status === 'sent' && campaign.stats.skipped === 1 && campaign.stats.sent === 1, JSON.stringify(campaign))
      check(body.items.length === 1 && body.items[0]?.outcome === 'skipped' && body.items[0].code === 'owner_changed', JSON.stringify(body))
    })
  },
}
