import { freshNats, testNatsPassword } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import type { FinishBatch } from '@herald/contracts/batch'
import { startDispatcher, type RunningDispatcher } from './start-dispatcher.ts'
import { hmacSecret, projectId, sealKeys, startPeers, type Peers, type Row } from './start-peers.ts'
import { startSimulator, type Device, type Simulator } from './start-simulator.ts'

/**
 * Gives the devices that a batch was sent to, as audience reads them from finish-batch: those that no list of finish-batch names, in the batch's
 * order.
 */
export function sentTo(row: Row, { unsent, dead, guarded, unavailable, retries }: FinishBatch): string[] {
  const others = new Set([...unsent, ...[...dead, ...guarded, ...unavailable, ...retries].map(({ subscriptionId }) => subscriptionId)])
  return [...row.recipients, ...row.decided].map(({ subscriptionId }) => subscriptionId).filter((id) => !others.has(id))
}

/** What a test file shares: a nats-server, the simulator and stand-ins for other services (`start-peers.ts`). Tests start dispatchers. */
export type Rig = {
  simulator: Simulator
  peers: Peers
  environment: Record<string, string>
  /** Starts a dispatcher with these changes to its environment. With `nameServer` it asks that server for hosts. `clean` ends the dispatcher. */
  start(change?: Record<string, string>, nameServer?: string): Promise<RunningDispatcher>
  /** Ends every dispatcher, every fault of the simulator and the tracker's outage, so that no test meets those of another test. */
  clean(): Promise<void>
  androids(count: number, more?: object): Promise<Device[]>
  finishOf(row: Row): Promise<FinishBatch>
}

export async function startRig(): Promise<Rig> {
  const natsUrl = await freshNats()
  const simulator = await startSimulator()
  const peers = await startPeers(natsUrl, simulator)
  const running: RunningDispatcher[] = []
  const environment = {
    NATS_URL: natsUrl,
    NATS_PASSWORD: testNatsPassword,
    HMAC_SECRET: hmacSecret,
    SEAL_KEYS: sealKeys,
    NODE_EXTRA_CA_CERTS: simulator.ca,
    APNS_URL: simulator.addresses.apns,
    FCM_URL: simulator.addresses.fcm,
    WEB_PUSH_ALLOW_PRIVATE: 'true',
  }
  return {
    simulator,
    peers,
    environment,
    async start(change = {}, nameServer) {
      const dispatcher = await startDispatcher({ ...environment, ...change }, nameServer)
      running.push(dispatcher)
      return dispatcher
    },
    async clean() {
      peers.state.trackerIsAway = false
      await simulator.control('DELETE', '/faults')
      await Promise.all(running.splice(0).map((dispatcher) => dispatcher.kill()))
      peers.endWaits()
    },
    androids: (count, more = {}) => simulator.devices({ platform: 'android', count, projectId, ...more }),
    finishOf: (row) => until(() => row.finished[0], { what: 'the batch finished', withinMs: 20_000 }),
  }
}
