import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { atEnd } from './at-end.ts'

/** A proxy that takes CONNECT, as a company has it. */
export type Proxy = {
  port: number
  /** What the proxy was asked for, as `<name>:<port>`, in order. */
  asked: string[]
  /** The field Proxy-Authorization of each request; undefined when it had none. */
  authorizations: (string | undefined)[]
  /** With which bytes the proxy answers instead of opening a tunnel; undefined to open it. A test may change it. */
  answer: string | undefined
}

/** Starts a proxy. Whatever name it is asked for, its tunnel leads to that port of 127.0.0.1. With `tls` the proxy itself is reached over TLS. */
export async function startProxy({ tls }: { tls?: { cert: string; key: string } } = {}): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const proxy: Proxy = { port: 0, asked: [], authorizations: [], answer: undefined }
  const server = tls ? createTlsServer(tls) : createServer()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  server.on('connection', keep)
  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Socket, head: Buffer) => {
    keep(client)
    proxy.asked.push(url)
    proxy.authorizations.push(headers['proxy-authorization'])
    if (proxy.answer !== undefined) return void client.write(proxy.answer)
    const target = connect(Number(/\d+$/.exec(url)?.[0]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      target.pipe(client).pipe(target)
    })
    keep(target)
    target.on('close', () => client.destroy())
    return client.on('close', () => target.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  proxy.port = (server.address() as AddressInfo).port
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return proxy
}
