import { atEnd } from './at-end.ts'
import { testServers } from './servers.ts'
import { setUpQueue } from '@herald/service/set-up-queue'

export { testNatsPassword } from './servers.ts'

/**
 * Starts a nats-server for this test file alone (ready in about 40 ms) with all streams, and gives its address. It stops at the end of the file. A
 * service that connects with `testNatsPassword` may do what it is granted. A connection without a password, such as that of a test that acts as a
 * service, may do everything.
 */
export async function freshNats(): Promise<string> {
  const server = await testServers.startNats()
  atEnd(server.stop)
  await setUpQueue({ NATS_URL: server.url })
  return server.url
}
