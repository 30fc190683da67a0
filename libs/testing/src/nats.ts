import { atEnd } from './at-end.ts'
import { testServers } from './servers.ts'
import { openBus } from '@herald/service/bus'
import { testService } from './service.ts'

export { testNatsPassword } from './servers.ts'

/**
 * Starts a nats-server for this test file alone (ready in about 40 ms) with all streams, and gives its address. It stops at the end of the file. A
 * service that connects with `testNatsPassword` may do what it is granted. A connection without a password, such as that of a test that acts as a
 * service, may do everything.
 */
export async function freshNats(): Promise<string> {
  const server = await testServers.startNats()
  atEnd(server.stop)
  const gateway = testService('gateway', { NATS_URL: server.url })
  await openBus(gateway)
  await gateway.stop()
  return server.url
}
