import { chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { http } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onDatabase, onPlatform, type Platform } from '../platform.ts'
import { familyOf, runningProcesses, signalAll } from '../processes.ts'
import type { Scenario } from '../scenario.ts'
import { checkSends, send, untilAccepted, untilAllSettled } from '../sends.ts'

const standbySeconds = 10
/** The gateway's probes, and its answer, may take this long. */
const noticedMs = 3_000

export const demotedDatabase: Scenario = {
  promise:
    'While the database is a standby, health says so, posts are answered 503 database_unavailable and nothing answers 500; within 5 s of its promotion sends go on, with exact counters and without copies.',
  async run(scene) {
    const { devices: count, say, note, check } = scene
    await onPlatform({ LOG_LEVEL: 'warn' }, async (platform) => {
      const { tenant, herald } = platform
      const devices = await givenManyDevices(platform, Math.min(count, 20_000))
      const campaign = await send(tenant, 'demoted-database', devices)
      await untilAccepted(tenant, devices.length * 0.2)

      say(`  the primary becomes a standby for ${standbySeconds} s`)
      await demote(platform)
      const demotedAt = performance.now()
      const answers: string[] = []
      const healths: number[] = []
      while (performance.now() < demotedAt + standbySeconds * 1_000) {
        const isNoticed = performance.now() > demotedAt + noticedMs
        const posted = await post(platform)
        const health = (await http('GET', `${herald.baseUrl}/health`)).status
        if (isNoticed) {
          answers.push(posted)
          healths.push(health)
        }
        await sleep(200)
      }
      await onDatabase(herald, (client) => client.query('select pg_promote()'))
      const backAt = performance.now()
      const again = await send(tenant, 'after', devices.slice(0, 1), { target: { subscriptionIds: [devices[0]?.subscriptionId] } })
      await untilAllSettled(tenant, [again])
      const secondsToNext = (performance.now() - backAt) / 1_000
      await untilAllSettled(tenant, [campaign])

      note({ answers: [...new Set(answers)], healths: [...new Set(healths)], secondsToNext })
      check(answers.length > 10, `only ${answers.length} answers while the database was a standby`)
      check(
        new Set(answers).size === 1 && answers[0] === '503 database_unavailable',
        `posts were answered ${[...new Set(answers)].join(', ')}`,
      )
      check(
        healths.every((status) => status === 503),
        `health was ${[...new Set(healths)].join(', ')}`,
      )
      check(secondsToNext <= 5, `the next send was settled ${secondsToNext.toFixed(1)} s after the promotion`)
      await checkSends(scene, tenant, [campaign, again], 0)
    })
  },
}

/** Ends Postgres, which the starter starts again on the same directory: now as a standby. */
async function demote({ herald: { dataDir }, herald }: Platform): Promise<void> {
  const signal = join(dataDir, 'postgres', 'standby.signal')
  const { uid, gid } = statSync(join(dataDir, 'postgres', 'PG_VERSION'))
  writeFileSync(signal, '')
  chownSync(signal, uid, gid)
  const former = runningProcesses(dataDir).get('postgres')
  if (former === undefined) throw new Error('there is no Postgres')
  signalAll(familyOf(former), 'SIGKILL')
  await until(
    () =>
      onDatabase(herald, async (client) => {
        const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
        return rows[0]?.standby === true
      }),
    { withinMs: 30_000, what: 'the standby answers' },
  )
}

async function post({ herald, tenant }: Platform): Promise<string> {
  const answer = await http<{ error?: { code: string } }>('POST', `${herald.baseUrl}/v1/notifications`, {
    headers: { authorization: `Bearer ${tenant.secretKey}` },
    body: { target: { subscriptionIds: ['a'.repeat(24)] }, silent: true },
  })
  return `${answer.status} ${answer.body.error?.code ?? ''}`
}
