import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { batchSubject } from '@herald/contracts/batch'
import { finishBatch, takeBatch } from '@herald/contracts/calls/audience'
import { freshDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { givenDevices, ok, pushesOf, read, untilSettled, textOf } from './campaigns.ts'
import { runningProcesses, signalAll } from '../chaos/processes.ts'

// An upgrade replaces one process after the other, so for a while a service of the old version works beside services of the new version.

const older = join(import.meta.dirname, 'older-wire.ts')

/** Starts a platform in which the first process of a service speaks these calls and messages in the old version. */
async function startWithOlder(
  app: string,
  subjects: string[],
  instances = 1,
): Promise<{ herald: Herald; logOf: (process: string) => string }> {
  const dataDir = freshDataDir()
  const herald = await startHerald({
    dataDir,
    env: {
      NODE_OPTIONS: `--import ${older}`,
      OLDER_APP: app,
      OLDER_SUBJECTS: subjects.join(','),
      OLDER_MARK: join(dataDir, 'older'),
      HERALD_INSTANCES: `${app}=${instances}`,
    },
  })
  onTestFinished(async () => {
    await herald.stop()
    removeDataDir(dataDir)
  })
  return { herald, logOf: (name) => readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8') }
}

async function send(tenant: Tenant, count: number): Promise<{ id: string; devices: string[] }> {
  const devices = await givenDevices(tenant, 'android', count)
  const answer = await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { all: true }, content: textOf('Hello') })
  return { id: ok(answer, 202).id, devices: devices.map(({ device }) => device.id) }
}

/** Waits until a send is settled. Gives its counters, and the devices that got a push by the simulator's record. */
async function resultOf(tenant: Tenant, id: string) {
  const { queued, sent } = await untilSettled(tenant, id)
  return { queued, sent, arrivedAt: (await pushesOf(tenant, id)).map(({ deviceId }) => deviceId).toSorted() }
}
const onceEach = (devices: string[]) => ({ queued: devices.length, sent: devices.length, arrivedAt: devices.toSorted() })

const calls = [takeBatch.subject, finishBatch.subject]
const pointers = [batchSubject('android', 'prompt'), batchSubject('android', 'bulk')]

test('an old dispatcher logs audience’s other version, and the batches wait for a new dispatcher', async () => {
  const { herald, logOf } = await startWithOlder('dispatcher', calls)
  const tenant = await givenTenant(herald)
  const sent = await send(tenant, 20)

  await until(() => logOf('dispatcher-1').includes('the other service speaks another version of a call'), { withinMs: 30_000 })
  expect(await pushesOf(tenant, sent.id)).toEqual([])
  signalAll([runningProcesses(herald.dataDir).get('dispatcher-1') ?? 0], 'SIGKILL')

  expect(await resultOf(tenant, sent.id)).toEqual(onceEach(sent.devices))
})

test('a new dispatcher takes no batch from an old audience; a new audience sends every push exactly once', async () => {
  const { herald, logOf } = await startWithOlder('audience', [...calls, ...pointers])
  const tenant = await givenTenant(herald)
  const sent = await send(tenant, 20)

  await until(() => logOf('dispatcher-1').includes('a message is of another version'), { withinMs: 30_000 })
  expect(await pushesOf(tenant, sent.id)).toEqual([])
  signalAll([runningProcesses(herald.dataDir).get('audience-1') ?? 0], 'SIGKILL')

  expect(await resultOf(tenant, sent.id)).toEqual(onceEach(sent.devices))
})

// spec: running/versions
test('while an old and a new process of audience run side by side, every push is sent exactly once', { timeout: 300_000 }, async () => {
  const { herald } = await startWithOlder('audience', [...calls, ...pointers], 2)
  const tenant = await givenTenant(herald)
  const { id, devices } = await send(tenant, 50)

  // Whichever process sweeps points at the batch, and any may be asked for it. A dispatcher gets it once both are the new one, in a quarter of the
  // tries, which are up to 15 s apart.
  await until(async () => (await read(tenant, id)).status === 'sent' || undefined, { withinMs: 240_000, what: 'the end of the send' })
  expect(await resultOf(tenant, id)).toEqual(onceEach(devices))
})
