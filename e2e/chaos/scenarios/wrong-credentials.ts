import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onDatabase, onPlatform, type Platform } from '../platform.ts'
import { logLinesOf } from '../processes.ts'
import type { Scenario } from '../scenario.ts'
import { checkSends, readStats, send, untilAllSettled } from '../sends.ts'

type Circuit = { environment: string; state: 'closed' | 'open'; code: string | null; heldCount: number }

export const wrongCredentials: Scenario = {
  promise:
    'When the provider refuses every device, as it does under wrong credentials, no device is invalidated: the circuit opens, the log says so, and with right credentials everything is sent.',
  async run(scene) {
    const { note, check } = scene
    await onPlatform({ LOG_LEVEL: 'warn' }, async (platform) => {
      const { herald, tenant } = platform
      const devices = await givenManyDevices(platform, Math.min(scene.devices, 2_000), ['ios'])
      await tenant.simulator('PUT', '/devices/behaviour', { answer: 'bad_token', platform: 'ios' })
      const campaign = await send(tenant, 'wrong-credentials', devices)

      const opened = await until(
        async () => {
          const circuits = await readCircuits(platform)
          return circuits.some(({ state, heldCount }) => state === 'open' && heldCount > 0) && circuits
        },
        { withinMs: 60_000, what: 'the circuit is open and holds pushes' },
      )
      const whileOpen = (await readStats(tenant, campaign)).body.stats
      const invalidated = await countInvalidated(platform)
      const said = logLinesOf(herald.dataDir, 'audience').filter((line) => line.includes('"level":"error"') && line.includes(tenant.appId))
      note({ circuits: opened, failedWhileOpen: whileOpen.failed, invalidated, said: said.length })
      check(whileOpen.failed === 0, `${whileOpen.failed} pushes failed while the credentials were wrong`)
      check(invalidated === 0, `${invalidated} devices are invalidated`)
      check(said.length > 0, 'no error line names the app')

      await tenant.simulator('PUT', '/devices/behaviour', { answer: 'ok', platform: 'ios' })
      // New credentials close the circuit at once.
      await mendCredentials(platform)
      const seconds = await untilAllSettled(tenant, [campaign])
      const closed = await readCircuits(platform)
      note({ secondsToSettleAfterwards: seconds, circuitsAfterwards: closed, invalidatedAfterwards: await countInvalidated(platform) })
      check(
        closed.every(({ state }) => state === 'closed'),
        `the circuit is still open: ${JSON.stringify(closed)}`,
      )
      check((await countInvalidated(platform)) === 0, 'devices are invalidated afterwards')
      await checkSends(scene, tenant, [campaign], 0)
    })
  },
}

const readCircuits = async ({ tenant }: Platform): Promise<Circuit[]> => {
  const { status, body } = await tenant.admin<{ circuits?: Circuit[] }>('GET', '/providers/apns')
  if (status !== 200 || body.circuits === undefined) throw new Error(`GET /providers/apns: ${status}, without circuits`)
  return body.circuits
}

/** Makes a new key of the team at the simulator and stores it in Herald, as an operator does. */
async function mendCredentials({ tenant }: Platform): Promise<void> {
  const teamId = tenant.appId.slice(-10).toUpperCase()
  const keyId = teamId.split('').toReversed().join('')
  const { privateKey } = await tenant.simulator<{ privateKey: string }>('POST', '/accounts', {
    kind: 'apns',
    teamId,
    keyId,
    bundleId: tenant.bundleId,
  })
  const { status } = await tenant.admin('PUT', '/providers/apns', {
    teamId,
    keyId,
    privateKey,
    bundleId: tenant.bundleId,
    environment: 'production',
  })
  if (status !== 200) throw new Error(`PUT /providers/apns was answered ${status}`)
}

const countInvalidated = ({ herald, tenant }: Platform): Promise<number> =>
  onDatabase(herald, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from audience.subscriptions where app_id = $1 and invalidated_at is not null',
      [tenant.appId],
    )
    return rows[0]?.count ?? -1
  })
