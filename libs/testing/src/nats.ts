import { atEnd } from './at-end.ts'
import { testServers } from './servers.ts'
import { setUpQueue } from '@herald/service/set-up-queue'

export { testNatsPassword } from './servers.ts'

/**
 * Starts a nats-server with all streams for this test file (about 40 ms) and gives its address. A service that connects with `testNatsPassword` may
 * do what it is granted; a connection without a password may do everything.
 */
export async function freshNats(): Promise<string> {
  const server = await testServers.startNats()
  atEnd(server.stop)
  await setUpQueue({ NATS_URL: server.url })
  return server.url
}
