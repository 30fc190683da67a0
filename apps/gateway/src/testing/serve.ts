import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'

/** Answers requests with this function until the test ends, and gives the port on 127.0.0.1. Connections that are still open then are closed. */
export async function serve(answer: RequestListener): Promise<number | undefined> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}
