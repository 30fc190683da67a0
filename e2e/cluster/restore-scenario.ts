import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { natsPasswordVariable } from '@herald/tools/apps'
import { http } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import type { Platform } from '../chaos/platform.ts'
import { runningProcesses, signalAll } from '../chaos/processes.ts'
import type { Scenario } from '../chaos/scenario.ts'
import { accepted, checkSends, readStats, send, untilAccepted, untilAllSettled } from '../chaos/sends.ts'
import type { Campaign } from '../chaos/scenario-result.ts'
import { onPair } from './database-scenarios.ts'
import { pause, window } from './posting.ts'

const root = resolve(import.meta.dirname, '../..')
const isService = (name: string) => /^(gateway|audience|campaigns|dispatcher|tracker|webhooks)-/.test(name)

/**
 * Stops all services while `work` runs, as an operator does who restores a database. The starter is frozen meanwhile, so that it starts none of them
 * again and the simulator goes on with its record.
 */
async function whileStopped({ herald }: Platform, work: () => Promise<void>): Promise<void> {
  const { pid } = herald.starter
  if (pid === undefined) throw new Error('the starter is not running')
  const services = [...runningProcesses(herald.dataDir)].filter(([name]) => isService(name)).map(([, service]) => service)
  process.kill(pid, 'SIGSTOP')
  try {
    signalAll(services, 'SIGTERM')
    // A frozen parent does not collect its children, so an ended one stays in the table as `Z`.
    const isOver = (service: number) => /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${service}/stat`, 'utf8'))
    await until(() => services.every(isOver), { withinMs: 30_000, what: 'the services have ended' })
    await work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

// spec: running/restore
const restorePoint: Scenario = {
  promise:
    'The database goes back to a point in the middle of a send, and `set-up restore` runs before the services: the send is paused and sends nothing until it is resumed; then every device has its push, each is counted once, and copies are only of what was sent since that point.',
  run: (scene) =>
    onPair(scene, false, async ({ pair, platform, devices, large, posting }) => {
      const { tenant, herald } = platform
      await pair.untilCaughtUp()
      await pair.standby.stop()
      const sentBefore = await accepted(tenant)
      await untilAccepted(tenant, sentBefore + devices.length * 0.2)
      await posting.stop()
      // This send is not in the database that comes back, and nobody can tell its sender.
      const unknown = await send(tenant, 'after the point', devices.slice(0, 10), {
        target: { subscriptionIds: devices.slice(0, 10).map(({ subscriptionId }) => subscriptionId) },
      })
      let sentSince = 0
      await whileStopped(platform, async () => {
        sentSince = (await accepted(tenant)) - sentBefore
        pair.primary.kill()
        await pair.standby.start()
        await pair.standby.promote()
        await until(async () => !runSetUp(platform, pair.url).stderr.includes('read-only'), {
          withinMs: 20_000,
          what: 'the restored database',
        })
      })
      await until(async () => (await http('GET', `${herald.baseUrl}/health`)).status === 200, { withinMs: 60_000, what: 'Herald is back' })
      const sentAtStart = await accepted(tenant)
      await pause(5_000)
      const held = (await accepted(tenant)) - sentAtStart
      const { body } = await readStats(tenant, large)
      const lost = (await readStats(tenant, unknown)).status
      scene.note({ sentSince, sentWhilePaused: held, statusAfterRestore: body.status, statusOfTheSendSince: lost })
      scene.check(body.status === 'paused', `the large send is ${body.status}`)
      scene.check(held === 0, `${held} pushes went out before the send was resumed`)
      scene.check(lost === 404, `the send since the point was answered ${lost}`)

      const known: Campaign[] = []
      for (const campaign of [large, ...posting.accepted]) {
        const { status, body: stats } = await readStats(tenant, campaign)
        if (status !== 200) continue
        known.push(campaign)
        if (stats.status === 'paused') await resume(platform, campaign)
      }
      const settledAfter = await untilAllSettled(tenant, known)
      scene.note({ known: known.length, settledAfter })
      await checkSends(scene, tenant, known, window + sentSince)
    }),
}

/** Runs `set-up restore` as `npm run restore` does. */
function runSetUp({ herald }: Platform, databaseUrl: string): { stdout: string; stderr: string } {
  const ports = JSON.parse(readFileSync(join(herald.dataDir, 'ports.json'), 'utf8')) as { nats: number }
  const { natsPasswords } = JSON.parse(readFileSync(join(herald.dataDir, 'secrets.json'), 'utf8')) as { natsPasswords: { queue: string } }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/src/set-up.ts', 'restore'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      SET_UP_OUT: join(herald.dataDir, 'none'),
      HERALD_DATA_DIR: herald.dataDir,
      NATS_URL: `nats://127.0.0.1:${ports.nats}`,
      [natsPasswordVariable('queue')]: natsPasswords.queue,
    },
  })
  if (status !== 0 && !stderr.includes('read-only')) throw new Error(`set-up restore ended with ${status}: ${stderr}`)
  return { stdout, stderr }
}

async function resume({ herald, tenant }: Platform, { id }: Campaign): Promise<void> {
  const answer = await http('POST', `${herald.baseUrl}/v1/admin/apps/${tenant.appId}/campaigns/${id}/resume`, {
    headers: { authorization: `Bearer ${herald.adminToken}` },
  })
  if (answer.status !== 200) throw new Error(`the resume was answered ${answer.status} ${JSON.stringify(answer.body)}`)
}

export const restoreScenarios: Record<string, Scenario> = { 'restore-point': restorePoint }
