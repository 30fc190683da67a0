import { atEnd } from './at-end.ts'
import { testServers } from './servers.ts'

/** A nats-server of this test file's own (ready in ~40 ms), stopped when the file is done. Answers its address. */
export async function freshNats(): Promise<string> {
  const server = await testServers.startNats()
  atEnd(server.stop)
  return server.url
}
