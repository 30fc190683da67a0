import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onPlatform, type Platform } from '../platform.ts'
import { readyPid, signalAll } from '../processes.ts'
import type { Scenario } from '../scenario.ts'
import { checkSends, untilAllSettled } from '../sends.ts'
import type { Campaign } from '../scenario-result.ts'

const apps = ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks'] as const
const exitWithinSeconds = 10
const crowd = 1_000

export const rollingRestart: Scenario = {
  needsSixProcesses: true,
  promise:
    'Two processes of each service, each stopped in turn under load: no client sees an error, no device gets a copy, and each process exits with 0 within 10 s.',
  async run(scene) {
    const { say, note, check } = scene
    const instances = apps.map((app) => `${app}=2`).join(',')
    await onPlatform({ HERALD_INSTANCES: instances }, async (platform) => {
      const { herald, tenant } = platform
      const devices = await givenManyDevices(platform, Math.min(scene.devices, crowd))
      const load = startLoad(platform, devices)
      const slowest: Record<string, number> = {}
      for (const name of apps.flatMap((app) => [`${app}-1`, `${app}-2`])) {
        const pid = await until(() => readyPid(herald.dataDir, name), { withinMs: 30_000, what: `${name} is ready` })
        load.now = name
        const stoppedAt = performance.now()
        signalAll([pid], 'SIGTERM')
        await until(() => !isAlive(pid), { withinMs: 20_000, what: `${name} has ended` })
        slowest[name] = Math.round(performance.now() - stoppedAt)
        await until(() => (readyPid(herald.dataDir, name) ?? pid) !== pid, { withinMs: 30_000, what: `${name} is ready again` })
        say(`  ${name} ended after ${slowest[name]} ms and is back`)
      }
      const { campaigns, answers, errors } = await load.stop()
      await untilAllSettled(tenant, campaigns)

      const ends = [...herald.output().matchAll(/^(\w+-\d) (ended with code \d+|was ended by \w+)/gm)].map(
        ([, name, how]) => `${name} ${how}`,
      )
      note({ answers, errors, msToExit: slowest, ends })
      check(errors.length === 0, `${errors.length} errors at clients: ${errors.slice(0, 5).join(', ')}`)
      check(
        ends.length === apps.length * 2 && ends.every((end) => end.endsWith('ended with code 0')),
        `not every process exited 0: ${ends.join(', ')}`,
      )
      check(Math.max(...Object.values(slowest)) <= exitWithinSeconds * 1000, 'a process took too long to end')
      await checkSends(scene, tenant, campaigns, 0)
    })
  },
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * Starts the load: clients that stay connected, and clients that open a connection for each request. Each sends and reads stats in turn. `now` names
 * the process that is being stopped, and is put into the text of each error.
 */
function startLoad({ herald, tenant }: Platform, devices: readonly { id: string; subscriptionId: string }[]) {
  const keeping = new Agent({ keepAlive: true, maxSockets: 4 })
  const opening = new Agent({ keepAlive: false })
  const answers: Record<string, number> = {}
  const errors: string[] = []
  const campaigns: Campaign[] = []
  let goesOn = true

  const ask = (agent: Agent, method: string, path: string, body?: unknown) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request(`${herald.baseUrl}${path}`, {
        agent,
        method,
        headers: { authorization: `Bearer ${tenant.secretKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        timeout: 15_000,
      })
      asked.on('error', reject).on('timeout', () => asked.destroy(new Error('no answer within 15 s')))
      asked.on('response', (response) => {
        let text = ''
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk))
          .on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })

  const client = async (agent: Agent, kind: string, number: number) => {
    for (let turn = 0; goesOn; turn += 1) {
      const device = devices[(turn * 8 + number) % devices.length]
      const body = {
        target: { subscriptionIds: [device?.subscriptionId] },
        content: { _default: 'en', en: { title: 'Rolling', body: `${number} ${turn}` } },
      }
      const last = campaigns.at(-1)
      const [method, path] =
        turn % 2 === 0 ? (['POST', '/v1/notifications'] as const) : (['GET', last ? `/v1/campaigns/${last.id}/stats` : '/health'] as const)
      const answer = await ask(agent, method, path, method === 'POST' ? body : undefined).catch((error: Error) => error)
      const what = answer instanceof Error ? answer.message : String(answer.status)
      answers[`${kind} ${what}`] = (answers[`${kind} ${what}`] ?? 0) + 1
      if (answer instanceof Error || answer.status >= 400)
        errors.push(`${load.now}: ${kind} ${method} ${path}: ${what} ${answer instanceof Error ? '' : answer.text}`)
      else if (method === 'POST' && device) {
        const { id } = JSON.parse(answer.text) as { id: string }
        campaigns.push({ id, devices: [device.id], status: 'sending', stats: { queued: 0, sent: 0, failed: 0, skipped: 0 } })
      }
      await sleep(20)
    }
  }
  const load = { now: 'before', stop }
  const clients = [0, 1, 2, 3].flatMap((number) => [client(keeping, 'kept', number), client(opening, 'opened', number + 4)])
  return load

  async function stop() {
    goesOn = false
    await Promise.all(clients)
    keeping.destroy()
    return { campaigns, answers, errors }
  }
}
