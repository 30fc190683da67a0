import { atEnd } from './at-end.ts'
import { testServers } from './servers.ts'
import { openBus } from '@herald/service/bus'
import { testService } from './service.ts'

export { testNatsPassword } from './servers.ts'

/**
 * Starts a nats-server for this test file alone (ready in ~40 ms) with all streams, and gives its address. It is stopped when the file is done. An app that
 * connects with `testNatsPassword` may do what it is granted; a connection without a password, such as that of a test that plays an app, may do everything.
 */
export async function freshNats(): Promise<string> {
  const server = await testServers.startNats()
  atEnd(server.stop)
  const gateway = testService('gateway', { NATS_URL: server.url })
  await openBus(gateway)
  await gateway.stop()
  return server.url
}
