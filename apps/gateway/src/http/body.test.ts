import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const size = 100 * 1024
const clients = 40
/** What a process has at most beside the bodies: chunks that have just arrived. */
const little = 500_000

/** Starts a server that reads bodies, and clients that send all of theirs but the last byte. */
async function givenClients() {
  const server = fork(join(import.meta.dirname, '../testing/body-server.ts'), { execArgv: ['--expose-gc'] })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  const before = await buffersOf(server)
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.resume().on('error', () => undefined)
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n${' '.repeat(size - 1)}`)
    return socket
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { sockets, taken: async () => (await buffersOf(server)) - before }
}

async function buffersOf(server: ChildProcess): Promise<number> {
  const answered = once(server, 'message') as Promise<[{ buffers: number }]>
  server.send('buffers')
  return (await answered)[0].buffers
}

// spec: limits/body-budget
test('when clients that hold back their bodies’ ends go, the memory is given back at once', async () => {
  const { sockets, taken } = await givenClients()
  await expect.poll(taken, { timeout: 10_000 }).toBeGreaterThan((clients / 2) * size)

  for (const socket of sockets) socket.destroy()

  await expect.poll(taken, { timeout: 10_000 }).toBeLessThan(little)
})
