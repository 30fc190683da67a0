import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { startNameServer } from './testing/start-name-server.ts'
import { startRig } from './testing/start-rig.ts'

/** One app has devices whose endpoints have host names that no name server answers for. */

const rig = await startRig()
const nameServer = await startNameServer(() => false)
const anyHost = { WEB_PUSH_ALLOW_PRIVATE: 'false', WEB_PUSH_ALLOWED_HOSTS: '*' }
afterEach(() => rig.clean())

/** Makes this many sends of one app, each to one device whose host name no name server knows. */
async function deadSends(count: number) {
  const devices = await rig.simulator.devices({ platform: 'web', count, applicationServerKey: rig.peers.accounts.vapid.publicKey })
  const appId = newId()
  return devices.map((device, no) => {
    device.endpoint = `https://dead-${no}-${newId()}.example/push`
    return rig.peers.queue('web', [device], { appId })
  })
}

// spec: providers/dead-hosts
test.each([
  ['in production', anyHost],
  ['in development', { WEB_PUSH_ALLOW_PRIVATE: 'true' }],
])('%s web pushes to names that no name server answers for go back counted, and FCM’s are sent', async (_where, settings) => {
  const before = nameServer.asked.length
  await rig.start(settings, nameServer.address)
  const dead = await deadSends(40)
  const honest = rig.peers.queue('android', await rig.androids(96))
  for (const row of dead) await rig.peers.point(row)
  await until(() => nameServer.asked.length >= before + 60, { what: 'the dead names are being asked for' })
  await rig.peers.point(honest)
  await rig.finishOf(honest)
  expect(rig.peers.outcomesOf(honest).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 96 }, () => 'sent'))

  for (const row of dead) expect((await rig.finishOf(row)).retries).toMatchObject([{ tries: 1 }])
})

test('a dispatcher that waits for the addresses of dead host names stops and exits with 0', async () => {
  const { process, ended } = await rig.start(anyHost, nameServer.address)
  const before = nameServer.asked.length
  for (const row of await deadSends(32)) await rig.peers.point(row)
  await until(() => nameServer.asked.length >= before + 32, { what: 'the dead names are being asked for' })
  process.kill('SIGTERM')
  expect(await ended).toBe(0)
})
