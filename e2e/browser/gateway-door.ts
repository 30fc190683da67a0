import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { atEnd } from '@herald/testing/at-end'

/** An address that forwards to a server while it is open. While it is shut nothing answers there, as when the server is away. */
export type Door = { url: string; open(): Promise<void>; shut(): Promise<void> }

/** Makes a door to the server at `baseUrl`, which is an http address. The door is open at first, and is closed at the end of the test file. */
export async function startDoor(baseUrl: string): Promise<Door> {
  const { hostname, port } = new URL(baseUrl)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const listen = async (at: number): Promise<number> => {
    const made = createServer((socket) => {
      const behind = connect(Number(port), hostname)
      for (const one of [socket, behind]) {
        sockets.add(one)
        one.on('error', () => one.destroy())
        one.on('close', () => sockets.delete(one))
      }
      socket.pipe(behind).pipe(socket)
    })
    await new Promise<void>((done, failed) => made.once('error', failed).listen(at, '127.0.0.1', done))
    server = made
    return (made.address() as AddressInfo).port
  }
  const own = await listen(0)
  const shut = async (): Promise<void> => {
    const closing = server
    server = undefined
    for (const socket of sockets) socket.destroy()
    if (closing) await new Promise<void>((done) => closing.close(() => done()))
  }
  atEnd(shut)
  return {
    url: `http://127.0.0.1:${own}`,
    async open() {
      if (!server) await listen(own)
    },
    shut,
  }
}
