import { join } from 'node:path'
import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onDatabase, onPlatform } from '../platform.ts'
import { withReceiver } from '../receiver.ts'
import type { Scenario } from '../scenario.ts'
import { send, untilAllSettled, untilAccepted } from '../sends.ts'
import { findInFiles, findInTables } from '../traces.ts'

const externalId = 'erased-user-93ab17cd'

export const erasure: Scenario = {
  promise:
    'A user erased during a send is nowhere afterwards: not the tokens, not the external id, in no table, no stored message, no log, no webhook body that is kept.',
  async run(scene) {
    const { note, check } = scene
    const count = Math.min(scene.devices, 10_000)
    await withReceiver((receiver) =>
      onPlatform(receiver.env, async (platform) => {
        const { herald, tenant } = platform
        await receiver.attach(tenant)
        await givenManyDevices(platform, count)
        const devices = (await Promise.all((['ios', 'android', 'web'] as const).map((kind) => tenant.makeDevices(kind, 1)))).flat()
        const registered = []
        for (const device of devices) registered.push(await tenant.register(device, { externalId, tags: { name: 'Ada' } }))
        const secrets = {
          externalId,
          ...Object.fromEntries(
            devices.map(({ platform: kind, token, endpoint }) => [`${kind} address`, token ?? new URL(endpoint ?? '').pathname]),
          ),
        }
        const findAll = async () => ({
          tables: (await onDatabase(herald, (client) => findInTables(client, secrets))).found,
          messages: findInFiles(join(herald.dataDir, 'nats'), secrets).found,
          logs: findInFiles(join(herald.dataDir, 'logs'), secrets).found,
        })
        const before = await findAll()
        // A send to the user alone comes first, so that campaigns, the ledger and stored webhook bodies have rows about the user.
        const toUser = await send(tenant, 'erasure-user', devices, { target: { externalIds: [externalId] } })
        await untilAllSettled(tenant, [toUser])
        await until(() => receiver.bodies.some((body) => body.includes(externalId)), {
          withinMs: 20_000,
          what: 'a webhook that names the user',
        })

        await tenant.simulator('PUT', '/faults', { latencyMs: 50 })
        const toAll = await send(tenant, 'erasure-all', [])
        const toUserAgain = await send(tenant, 'erasure-user-again', devices, { target: { externalIds: [externalId] } })
        await untilAccepted(tenant, count * 0.1)
        const erased = await tenant.call('DELETE', `/v1/users/by-external-id/${externalId}`)
        await untilAllSettled(tenant, [toAll, toUserAgain])
        // Waits until nothing is left. That may take a moment, because audience tells webhooks of the erasure again and again until webhooks has
        // answered.
        const left = await until(
          async () => {
            const now = await findAll()
            return Object.values(now).every((places) => places.length === 0) && now
          },
          { withinMs: 30_000, what: 'nothing is left' },
        ).catch(findAll)

        note({ before: before.tables, erased: erased.status, stats: toAll.stats, statsOfUser: toUserAgain.stats, left })
        check(before.tables.length > 0, 'the search finds nothing before the erasure either')
        check(erased.status === 204, `DELETE was answered ${erased.status}`)
        check(
          toAll.status === 'sent' && toAll.stats.queued === toAll.stats.sent + toAll.stats.failed + toAll.stats.skipped,
          JSON.stringify(toAll.stats),
        )
        for (const [where, places] of Object.entries(left)) check(places.length === 0, `left in ${where}: ${places.join(', ')}`)
      }),
    )
  },
}
