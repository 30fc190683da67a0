import { atEnd } from './at-end.ts'
import { testServers } from './servers.ts'
import { openBus } from '@herald/service/bus'
import { testService } from './service.ts'

export { testNatsPassword } from './servers.ts'

/**
 * A nats-server of this test file's own (ready in ~40 ms) with all streams, stopped when the file is done. Answers its address. An app that
 * gives `testNatsPassword` may do what it may do in earnest; who gives none, such as a test that plays an app, may do everything.
 */
export async function freshNats(): Promise<string> {
  const server = await testServers.startNats()
  atEnd(server.stop)
  const gateway = testService('gateway', { NATS_URL: server.url })
  await openBus(gateway)
  await gateway.stop()
  return server.url
}
